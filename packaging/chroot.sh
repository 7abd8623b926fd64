#!/usr/bin/env bash
# Runs the README's commands, or COMMAND, on an empty Debian: SUITE is bookworm, trixie or forky, DIR
# the folder the system is made in (outside the repository; a few gigabytes).  Needs root and Debian or
# Ubuntu.
#
#   packaging/chroot.sh [--fonts few|many] [--again] SUITE DIR [COMMAND [ARGUMENT...]]
#
# --fonts few    only the fonts that setup.sh installs (the default)
# --fonts many   Debian's large font families too
# --again        keep the system already in DIR and only bring the repository up to date
#
# Packages come from the mirror this machine's apt uses (DEBIAN_MIRROR names another); pip's and
# npm's configuration of this machine, its certificates and the local indexes they name hold inside
# too.  What is tested is a clone of HEAD, not the working tree.
# Mounts and processes live in namespaces of their own and end with this script, however it ends.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
many_fonts=(
  fonts-noto-core fonts-noto-mono fonts-noto-color-emoji fonts-liberation fonts-freefont-ttf
  fonts-firacode fonts-hack fonts-roboto-unhinted
)

die() {
  printf '%s\n' "$*" >&2
  exit 2
}

fonts=few again=
while [[ ${1:-} == --* ]]; do
  case $1 in
  --fonts)
    fonts=${2:-}
    [[ $fonts == few || $fonts == many ]] || die "--fonts takes few or many"
    shift 2
    ;;
  --again)
    again=yes
    shift
    ;;
  *) die "Unknown option $1" ;;
  esac
done
[ $# -ge 2 ] || die "Usage: $0 [--fonts few|many] [--again] SUITE DIR [COMMAND [ARGUMENT...]]"
suite=$1 dir=$(realpath -m "$2")
shift 2
[ "$(id -u)" -eq 0 ] || die "$0 needs root."
case $dir/ in "$root"/*) die "$dir lies inside the repository." ;; esac

# --- the empty system -----------------------------------------------------------------------------

mirror() {
  if [ -n "${DEBIAN_MIRROR:-}" ]; then
    echo "$DEBIAN_MIRROR"
    return
  fi
  # The archive of this system's own release; those of security updates and others lack the suites.
  (
    . /etc/os-release
    [ "$ID" = debian ] || die "Name a Debian mirror in DEBIAN_MIRROR."
    apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(SITE)' 'Created-By: Packages' |
      awk -v release="$VERSION_CODENAME" '$1 == release && $2 == "main" { print $3; exit }'
  )
}

if [ -z "$again" ] || [ ! -e "$dir/.debootstrapped" ]; then
  [ ! -e "$dir" ] || rmdir "$dir" 2>/dev/null ||
    die "$dir is not empty: remove it, or keep it with --again."
  command -v debootstrap >/dev/null ||
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends debootstrap
  from=$(mirror)
  [ -n "$from" ] || die "apt names no archive of this release; name one in DEBIAN_MIRROR."
  # Exactly what the README asks for: git and Python.
  # A release that debootstrap is too old to know is made as the newest one it knows.
  script=()
  [ -e "/usr/share/debootstrap/scripts/$suite" ] || script=(/usr/share/debootstrap/scripts/sid)
  debootstrap --variant=minbase --include=ca-certificates,git,python3 "$suite" "$dir" "$from" \
    "${script[@]}"
  touch "$dir/.debootstrapped"
fi

# --- what this machine's network needs ------------------------------------------------------------

environment=(HOME=/root "TERM=${TERM:-dumb}" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
local_paths=()

copy_file() { # to the same place inside
  [ -f "$1" ] && install -D -m 644 "$1" "$dir$1"
  return 0
}

copy_file /etc/resolv.conf
copy_file /etc/hosts
if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then
  mkdir -p "$dir/usr/local/share/ca-certificates"
  cp /usr/local/share/ca-certificates/*.crt "$dir/usr/local/share/ca-certificates/"
fi
if command -v apt-config >/dev/null; then
  apt-config dump | grep -E '^Acquire::(http|https|ftp)::[^"]*Proxy' >"$dir/etc/apt/apt.conf.d/80host" || true
fi
while IFS= read -r -d '' entry; do
  case ${entry%%=*} in
  PIP_* | npm_config_* | NPM_CONFIG_* | [Hh][Tt][Tt][Pp]_[Pp][Rr][Oo][Xx][Yy] | \
    [Hh][Tt][Tt][Pp][Ss]_[Pp][Rr][Oo][Xx][Yy] | [Nn][Oo]_[Pp][Rr][Oo][Xx][Yy] | \
    SSL_CERT_FILE | REQUESTS_CA_BUNDLE | CURL_CA_BUNDLE | NODE_EXTRA_CA_CERTS | GIT_SSL_CAINFO)
    environment+=("$entry")
    [[ ${entry#*=} == /* ]] && local_paths+=("${entry#*=}")
    ;;
  esac
done < <(env -0)
python3 - "$dir" <<'PYTHON' >"$dir/.local-paths"
"""Writes pip's configuration into DIR/etc/pip.conf; prints the local paths it names."""
import ast
import configparser
import subprocess
import sys
from pathlib import Path

written = configparser.RawConfigParser()
listed = subprocess.run(
    [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True
).stdout
for line in listed.splitlines():
    key, _, value = line.partition("=")
    section, _, option = key.partition(".")
    if section == ":env:":  # passed on as it is
        continue
    text = ast.literal_eval(value)
    if not written.has_section(section):
        written.add_section(section)
    written.set(section, option, text.replace("\n", "\n    "))
    for word in text.split():
        if (path := Path(word.removeprefix("file://"))).is_absolute():
            print(path)
with Path(sys.argv[1], "etc/pip.conf").open("w") as file:
    written.write(file)
PYTHON
mapfile -t -O "${#local_paths[@]}" local_paths <"$dir/.local-paths"
rm "$dir/.local-paths"
if command -v npm >/dev/null; then
  environment+=("npm_config_registry=$(npm config get registry 2>/dev/null)")
fi
bound=()
for path in "${local_paths[@]}"; do
  if [ -d "$path" ]; then
    # Whole package folders: an index names files that lie beside it.
    case $path in */simple | */simple/) path=$(dirname "$path") ;; esac
    bound+=("$path")
  else
    copy_file "$path"
  fi
done

# --- the repository -------------------------------------------------------------------------------

[ -z "$(git -C "$root" status --porcelain)" ] || echo "Uncommitted changes are not part of the clone." >&2
work=/root/shaderlab
if [ -d "$dir$work/.git" ]; then
  git -C "$dir$work" fetch --quiet "$root" HEAD
  git -C "$dir$work" checkout --quiet --force --detach FETCH_HEAD
else
  git clone --quiet --no-hardlinks "$root" "$dir$work"
fi

# --- inside ---------------------------------------------------------------------------------------

install_fonts=
[ "$fonts" = few ] ||
  install_fonts="apt-get update -q && apt-get install -y -q --no-install-recommends ${many_fonts[*]} >/dev/null"
readme='bash packaging/run.sh && bash packaging/test.sh'
if [ $# -eq 0 ]; then
  set -- bash -c "$readme"
fi

# The inner shell stays the first process of its namespace: it inherits orphans and reaps them.
exec unshare --mount --propagation private --pid --fork --kill-child bash -s "$dir" "$work" \
  "$install_fonts" "${#bound[@]}" "${bound[@]}" "${#environment[@]}" "${environment[@]}" "$@" <<'INSIDE'
set -euo pipefail
dir=$1 work=$2 install_fonts=$3
shift 3
bound=("${@:2:$1}")
shift $(($1 + 1))
environment=("${@:2:$1}")
shift $(($1 + 1))
mount -t proc proc "$dir/proc"
mount --rbind /sys "$dir/sys"
mount --rbind /dev "$dir/dev"
mount -t tmpfs -o mode=1777 tmpfs "$dir/dev/shm"
for path in "${bound[@]}"; do
  mkdir -p "$dir$path"
  mount --bind -o ro "$path" "$dir$path"
done
inside() { env -i "${environment[@]}" chroot "$dir" "$@" </dev/null; }
if [ -n "$install_fonts" ]; then
  inside env DEBIAN_FRONTEND=noninteractive bash -c "$install_fonts"
fi
status=0
inside bash -c 'cd "$1" && shift && exec "$@"' bash "$work" "$@" || status=$?
exit "$status"
INSIDE
