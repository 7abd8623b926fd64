import pytest

from shaderlab.frontend import compiler


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """Each test compiles into an empty cache of its own."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    compiler._cache.cache_clear()
    yield folder
    compiler._cache.cache_clear()
