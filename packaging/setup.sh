# Sourced by run.sh and test.sh: system packages, virtual environment, pinned Python packages.
#   prepare FLAVOUR EXTRAS PACKAGE...
# FLAVOUR names the stamp; EXTRAS is "" or "[test]".  What a stamp vouches for is not looked at again.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv="$root/.venv"

run_packages=(
  glslang-tools spirv-tools
  libvulkan1 mesa-vulkan-drivers
  libegl1 libgl1 libxkbcommon0 libxkbcommon-x11-0 libdbus-1-3 libfontconfig1 libglib2.0-0
  libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-image0 libxcb-render-util0
  libxcb-shape0 libxcb-xinerama0 libxcb-randr0 libxcb-xkb1 libwayland-client0 libwayland-cursor0
  libwayland-egl1
  fonts-dejavu-core
)

die() {
  printf '%s\n' "$*" >&2
  exit 1
}

find_python() {
  local candidate
  for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
    if "$candidate" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  die "shaderlab needs Python 3.11 or newer; install it with: apt-get install python3.11 python3.11-venv"
}

is_installed() {
  # Ubuntu 24.04 and Debian 13 renamed libraries for 64-bit time; the old name is then provided.
  # dpkg-query fails where one of the two is unknown, whatever it says of the other.
  { dpkg-query -W -f='${db:Status-Status}\n' "$1" "$1t64" 2>/dev/null || true; } | grep -qx installed
}

install_system_packages() {
  command -v dpkg-query >/dev/null || return 0 # not Debian or Ubuntu: `shaderlab doctor` says what is missing
  local missing=() package
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local line="apt-get install -y --no-install-recommends ${missing[*]}"
  local as=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
      as=(sudo)
    else
      die "System packages are missing and neither root nor sudo is at hand.  Run this as root, then start again:
  apt-get update && $line"
    fi
  fi
  echo "Installing system packages: ${missing[*]}"
  "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q ||
    echo "The package lists could not be refreshed; trying with what is there." >&2
  # shellcheck disable=SC2086
  "${as[@]}" env DEBIAN_FRONTEND=noninteractive $line || die "Failed: $line"
}

prepare() {
  local flavour=$1 extras=$2
  shift 2
  local stamp="$venv/.ready-$flavour" fingerprint
  fingerprint=$(cat "$root/pyproject.toml" "$root/packaging/constraints.txt" \
    "$root/packaging/setup.sh" | sha256sum)
  if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$fingerprint $root" ]; then
    return
  fi
  local python
  python=$(find_python) || exit 1
  local packages=("$@")
  if ! "$python" -I -c 'import ensurepip' 2>/dev/null; then
    packages+=("$("$python" -I -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')")
  fi
  install_system_packages "${packages[@]}"
  if ! "$venv/bin/python" -I -c 'import pip' 2>/dev/null; then
    "$python" -I -m venv --clear "$venv" || die "Could not make the virtual environment $venv"
  fi
  echo "Installing Python packages into .venv"
  PIP_CONSTRAINT="$root/packaging/constraints.txt" PIP_DISABLE_PIP_VERSION_CHECK=1 \
    "$venv/bin/python" -I -m pip install --quiet --editable "$root$extras" ||
    die "Installing the Python packages failed; the message is above."
  printf '%s' "$fingerprint $root" >"$stamp"
}
