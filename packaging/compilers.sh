#!/usr/bin/env bash
# Builds Mesa's shader compilers for all vendors from one pinned release, with the stand-in kernel
# interfaces (drm-shim) that let them run without their GPUs: RADV (AMD), ANV (Intel), NVK (NVIDIA),
# Turnip (Adreno), PanVK (Mali).  Nothing of this system is replaced: they go into a folder of
# shaderlab's own, with a manifest.
#
#   packaging/compilers.sh [--to DIR] [--work DIR] [--only VENDOR,...] [--jobs N] [--check]
#
# --to DIR    where they go; without it, the user's data folder
# --work DIR  sources and objects (3 GB); without it, the user's cache.  Kept: a build that was
#             stopped goes on where it was, and one that is done costs seconds.  Remove it afterwards.
# --only      amd, intel, nvidia, adreno, mali: those alone
# --jobs N    compile so many files at a time; without it, one per core
# --check     only say what is needed and what is missing
#
# Debian 13 (all five) and Debian 12 (without NVIDIA, whose driver needs a newer bindgen); others of
# their age may do.  30 minutes of processor time on an empty Debian 13, packages and sources included.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

mesa_version=25.0.7
mesa_sha256=592272df3cf01e85e7db300c449df5061092574d099da275d19e97ef0510f8a6
libdrm_version=2.4.124
libdrm_sha256=ac36293f61ca4aafaf4b16a2a7afff312aa4f5c37c9fbd797de9e3c0863ca379
suite=trixie # whose source packages these are
python_tools=(meson==1.7.0 mako==1.3.10 MarkupSafe==3.0.2 PyYAML==6.0.2 packaging==24.2 setuptools==75.8.0)
bindgen_needed=0.65

vendors=(intel mali adreno amd nvidia)
declare -A title=([amd]=RADV [intel]=ANV [nvidia]=NVK [adreno]=Turnip [mali]=PanVK)
declare -A option=([amd]=amd [intel]=intel [nvidia]=nouveau [adreno]=freedreno [mali]=panfrost)
declare -A library=(
  [amd]=src/amd/vulkan/libvulkan_radeon.so
  [intel]=src/intel/vulkan/libvulkan_intel.so
  [nvidia]=src/nouveau/vulkan/libvulkan_nouveau.so
  [adreno]=src/freedreno/vulkan/libvulkan_freedreno.so
  [mali]=src/panfrost/vulkan/libvulkan_panfrost.so
)
declare -A shim=( # RADV has null hardware of its own
  [intel]=src/intel/tools/libintel_noop_drm_shim.so
  [nvidia]=src/nouveau/drm-shim/libnouveau_noop_drm_shim.so
  [adreno]=src/freedreno/drm-shim/libfreedreno_noop_drm_shim.so
  [mali]=src/panfrost/drm-shim/libpanfrost_noop_drm_shim.so
)

say() { printf '%s\n' "$*"; }

# --- what is asked for ----------------------------------------------------------------------------

to='' work='' only='' jobs=$(nproc) check=''
while [ $# -gt 0 ]; do
  case $1 in
  --to | --work | --only | --jobs)
    [ $# -ge 2 ] || die "$1 takes a value"
    declare "${1#--}=$2"
    shift 2
    ;;
  --check)
    check=yes
    shift
    ;;
  *) die "Usage: $0 [--to DIR] [--work DIR] [--only VENDOR,...] [--jobs N] [--check]" ;;
  esac
done
[[ $jobs =~ ^[1-9][0-9]*$ ]] || die "--jobs takes a number"
[ "$(uname -sm)" = "Linux x86_64" ] || die "The compilers are built on Linux x86_64 only; this is $(uname -sm)."
command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
  die "The compilers are built on Debian or Ubuntu; this system has no apt-get."
to=$(realpath -m "${to:-${XDG_DATA_HOME:-$HOME/.local/share}/shaderlab/compilers}")
work=$(realpath -m "${work:-${XDG_CACHE_HOME:-$HOME/.cache}/shaderlab/compilers}")
if [ -n "$only" ]; then
  for vendor in ${only//,/ }; do
    [ -n "${title[$vendor]:-}" ] || die "--only knows ${vendors[*]}, not $vendor"
  done
  read -ra vendors <<<"${only//,/ }"
fi

# --- what is needed -------------------------------------------------------------------------------

declare -A missing=() # vendor -> why it is not built

newer() { dpkg --compare-versions "$1" ge "$2"; }

offered() { # the version apt would install; empty for none
  apt-cache policy "$1" 2>/dev/null | awk '/Candidate:/ && $2 != "(none)" { print $2; exit }'
}

llvm='' # the newest that comes with all parts
for version in 19 18 17 16 15; do
  if [ -n "$(offered "llvm-$version-dev")" ] && [ -n "$(offered "libclc-$version-dev")" ] &&
    [ -n "$(offered "libllvmspirvlib-$version-dev")" ]; then
    llvm=$version
    break
  fi
done
[ -n "$llvm" ] || die "apt offers no LLVM 15 or newer with libclc and the SPIR-V translator; run apt-get update, or use Debian 12 or newer."

packages=(
  build-essential pkg-config ninja-build bison flex glslang-tools spirv-tools
  zlib1g-dev libexpat1-dev libelf-dev python3 python3-venv xz-utils
  "llvm-$llvm-dev" "libclang-$llvm-dev" "libclang-cpp$llvm-dev" "libclc-$llvm" "libclc-$llvm-dev"
  "libllvmspirvlib-$llvm-dev"
)
rust_packages=(
  rustc bindgen cbindgen "libclang1-$llvm" librust-paste-dev librust-proc-macro2-dev librust-quote-dev
  librust-syn-dev librust-unicode-ident-dev
)

chosen() { [[ " ${vendors[*]} " == *" $1 "* ]]; }

leave_out() { # VENDOR WHY
  missing[$1]=$2
  say "${title[$1]} cannot be built here: $2"
  local kept=() vendor
  for vendor in "${vendors[@]}"; do
    [ "$vendor" = "$1" ] || kept+=("$vendor")
  done
  vendors=("${kept[@]}")
}

if chosen nvidia; then
  bindgen=$(offered bindgen)
  if [ -z "$bindgen" ]; then
    leave_out nvidia "apt offers no bindgen"
  elif ! newer "$bindgen" $bindgen_needed; then
    leave_out nvidia "it needs bindgen $bindgen_needed or newer, and this system has $bindgen"
  elif [ -z "$(offered librust-paste-dev)" ] || [ -z "$(offered librust-syn-dev)" ]; then
    leave_out nvidia "this system has no packages of the Rust crates paste and syn"
  else
    packages+=("${rust_packages[@]}")
  fi
fi
[ ${#vendors[@]} -gt 0 ] || die "Nothing is left to build."

lacking=()
for package in "${packages[@]}"; do
  is_installed "$package" || lacking+=("$package")
done
say "To be built: $(for v in "${vendors[@]}"; do printf '%s ' "${title[$v]}"; done)from Mesa $mesa_version, with LLVM $llvm"
say "Folder: $to"
say "Sources and objects: $work (3 GB while it builds)"
if [ -n "$check" ]; then
  [ ${#lacking[@]} -eq 0 ] || die "Missing packages: apt-get install -y --no-install-recommends ${lacking[*]}"
  say "Everything needed is here."
  exit 0
fi
install_system_packages "${packages[@]}"
mkdir -p "$work" "$to"
[ "$(df --output=avail -k "$work" | tail -1)" -gt 3500000 ] || [ -e "$work/build/build.ninja" ] ||
  die "$work needs 3.5 GB of free disk."

# One at a time: two builds in one folder would spoil each other.
exec 9>"$work/lock"
flock -n 9 || die "Another build is running in $work."

# --- sources --------------------------------------------------------------------------------------

sources=$work/sources
mkdir -p "$sources"

is_right() { [ -f "$1" ] && echo "$2  $1" | sha256sum --check --status; }

archive() {
  if [ -n "${DEBIAN_MIRROR:-}" ]; then
    echo "$DEBIAN_MIRROR"
    return
  fi
  local found='' # of this system's own release; those of security updates lack the suite
  if [ "$(. /etc/os-release && echo "$ID")" = debian ]; then
    found=$(. /etc/os-release && apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(SITE)' \
      'Created-By: Packages' | awk -v release="$VERSION_CODENAME" \
      '$1 == release && $2 == "main" { print $3; exit }')
  fi
  echo "${found:-http://deb.debian.org/debian}"
}

fetch() { # NAME VERSION SHA256
  local file=$1_$2.orig.tar.xz
  is_right "$sources/$file" "$3" && return
  say "Fetching the sources of $1 $2"
  local apt=$work/apt
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  # What vouches for the sources is the checksum above, also where Debian's keys are not installed.
  echo "deb-src [trusted=yes] $(archive) $suite main" >"$apt/sources.list"
  cat >"$apt/apt.conf" <<CONF
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "-";
Dir::State::Lists "$apt/lists";
Dir::Cache "$apt/cache";
CONF
  (
    cd "$sources"
    export APT_CONFIG=$apt/apt.conf
    apt-get update -qq && apt-get source -qq --download-only "$1"
  ) >"$work/fetch.log" 2>&1 || true
  [ -f "$sources/$file" ] || {
    tail -5 "$work/fetch.log" >&2
    die "$file could not be fetched through apt; name a Debian mirror in DEBIAN_MIRROR, or put the file into $sources."
  }
  is_right "$sources/$file" "$3" || die "$sources/$file is not the file that was expected (SHA-256 differs); remove it and try again."
}

unpack() { # NAME VERSION SHA256 -> $sources/NAME-VERSION
  local changes # what is changed in them belongs to what was unpacked
  changes=$(declare -f prepare_mesa | sha256sum)
  fetch "$@"
  [ "$(cat "$sources/$1-$2/.complete" 2>/dev/null)" = "$changes" ] && return
  rm -rf "${sources:?}/$1-$2"
  tar -xf "$sources/$1_$2.orig.tar.xz" -C "$sources"
  [ "$1" = mesa ] && prepare_mesa "$sources/$1-$2"
  echo "$changes" >"$sources/$1-$2/.complete"
}

prepare_mesa() {
  # NVK prints the program that its code is made of when it is asked to: it is none of what the driver
  # hands out, and counts need it (gpu/counted).
  #
  # RADV can be asked to leave in a loop what is the same in each round, as Mesa 22 did:
  # the times that forecasts were fitted to are of drivers of that age (models/LOG.md).  Its name
  # says that it can.
  #
  # The sign of a NaN that constants come to is the system's C compiler's and library's: without it,
  # the same program is compiled to the same code everywhere.
  #
  # Whether a loop's variable follows from uniforms alone is asked of each operand once: shared operands
  # made PanVK take minutes for a shader of a few hundred lines.
  #
  # Chips that the drivers know and the stand-ins for their kernel drivers do not.
  #
  # NVIDIA's Ada: engines by the numbers in Mesa's own class headers (clc7b5.h, clc997.h, clc9c0.h),
  # without which it is taken for a chip of 2010.  Adreno 640 and 650: by freedreno_devices.py; how
  # much memory they have on chip does not change the code.
  python3 -I - "$1" <<'PYTHON'
import re
import sys
from pathlib import Path

path = Path(sys.argv[1], "src/freedreno/drm-shim/freedreno_noop.c")
text = path.read_text()
chips = "".join(
    f"   {{ .gpu_id = {chip}, .chip_id = CHIPID({chip // 100}, {chip // 10 % 10}, 0, 0xff), "
    ".gmem_size = 1024 * 1024 },\n"
    for chip in (640, 650)
)
text, count = re.subn(r"   \{\n      \.gpu_id = 660,", lambda found: chips + found[0], text)
if count != 1:
    sys.exit(f"{path} is not as expected")
path.write_text(text)

for name, was, becomes in (
    (
        "radv_pipeline.c",
        "      NIR_PASS(_, stage->nir, nir_opt_licm);\n",
        '      if (!getenv("SHADERLAB_KEEPS_LOOPS"))\n'
        "         NIR_PASS(_, stage->nir, nir_opt_licm);\n",
    ),
    (
        "radv_physical_device.c",
        '"Mesa " PACKAGE_VERSION MESA_GIT_SHA1 "%s"',
        '"Mesa " PACKAGE_VERSION MESA_GIT_SHA1 " (shaderlab)%s"',
    ),
):
    path = Path(sys.argv[1], "src/amd/vulkan", name)
    text = path.read_text()
    if text.count(was) != 1:
        sys.exit(f"{path} is not as expected")
    path.write_text(text.replace(was, becomes))

path = Path(sys.argv[1], "src/compiler/nir/nir_constant_expressions.py")
text = path.read_text()
evaluated = """execution_mode);
      return;
% endfor
   default:
      unreachable("shouldn't get here");
   }
"""
if text.count(evaluated) != 1:
    sys.exit(f"{path} is not as expected")
unsigned = """   if (nir_alu_type_get_base_type(nir_op_infos[op].output_type) != nir_type_float)
      return;
   unsigned size = nir_alu_type_get_type_size(nir_op_infos[op].output_type);
   for (unsigned i = 0; i < num_components; i++) {
      nir_const_value *to = &dest[i];
      switch (size ? size : bit_width) {
      case 16:
         if ((to->u16 & 0x7fff) > 0x7c00)
            to->u16 = 0x7e00;
         break;
      case 32:
         if ((to->u32 & 0x7fffffff) > 0x7f800000)
            to->u32 = 0x7fc00000;
         break;
      case 64:
         if ((to->u64 & INT64_MAX) > 0x7ff0000000000000)
            to->u64 = 0x7ff8000000000000;
         break;
      }
   }
"""
path.write_text(text.replace(evaluated, evaluated.replace("return;", "break;") + unsigned))

path = Path(sys.argv[1], "src/compiler/nir/nir_loop_analyze.c")
text = path.read_text()
head, rest = text.split("static bool\nis_only_uniform_src(nir_src *src)\n{\n", 1)
body, rest = rest.split("\n}\n", 1)
asks, uniform = "if (!is_only_uniform_src(&alu->src[i].src))", "      return true;\n   }\n"
if body.count(asks) != 1 or body.count(uniform) != 1 or "switch (instr->type) {" not in body:
    sys.exit(f"{path} is not as expected")
body = body.replace(asks, "if (!follows_from_uniforms(&alu->src[i].src, met))")
body = body.replace(uniform, "      _mesa_set_add(met, instr);\n" + uniform)
body = body.replace("   switch (", "   if (_mesa_set_search(met, instr))\n      return true;\n   switch (", 1)
path.write_text(f"""{head}static bool
follows_from_uniforms(nir_src *src, struct set *met)
{{
{body}
}}

static bool
is_only_uniform_src(nir_src *src)
{{
   struct set *met = _mesa_pointer_set_create(NULL);
   bool uniform = follows_from_uniforms(src, met);
   _mesa_set_destroy(met, NULL);
   return uniform;
}}
{rest}""")

path = Path(sys.argv[1], "src/nouveau/compiler/nak_nir.c")
text = path.read_text()
prints = "      if (nak_should_print_nir()) {\n         fprintf(stderr, \"Structured"
if text.count(prints) != 1:
    sys.exit(f"{path} is not as expected")
asked = prints.replace("print_nir()", 'print_nir() || getenv("SHADERLAB_PRINTS_NIR")')
path.write_text(text.replace(prints, asked))

path = Path(sys.argv[1], "src/nouveau/drm-shim/nouveau_noop.c")
text = path.read_text()
for ampere, ada in (
    ("NVF0_P2MF_CLASS", None),
    ("AMPERE_DMA_COPY_A", "0xc7b5"),
    ("GA102_3D_CLASS", "0xc997"),
    ("GA102_COMPUTE_CLASS", "0xc9c0"),
):
    if ada is None:  # the same engine: one more label before the first
        text, count = re.subn(r"( +)case 0x170:\n", r"\1case 0x190:\n\g<0>", text, count=1)
    else:
        text, count = re.subn(
            rf"( +)case 0x170:\n( +)(\S+) = {ampere};\n",
            rf"\1case 0x190:\n\2\3 = {ada};\n\2break;\n\g<0>",
            text,
        )
    if count != 1:
        sys.exit(f"{path} is not as expected at {ampere}")
path.write_text(text)
PYTHON
}

unpack libdrm $libdrm_version $libdrm_sha256
unpack mesa $mesa_version $mesa_sha256

# --- tools ----------------------------------------------------------------------------------------

tools=$work/tools
if [ "$(cat "$tools/.versions" 2>/dev/null)" != "${python_tools[*]}" ]; then
  say "Installing meson and what Mesa's generators need into $tools"
  "$(find_python)" -I -m venv --clear "$tools"
  "$tools/bin/python" -I -m pip install --quiet --disable-pip-version-check "${python_tools[@]}" ||
    die "Installing ${python_tools[*]} failed; the message is above."
  echo "${python_tools[*]}" >"$tools/.versions"
fi
export PATH=$tools/bin:$PATH

quietly() { # LOG COMMAND...; the log's end if it fails
  local log=$1
  shift
  "$@" >"$log" 2>&1 || {
    tail -25 "$log" >&2
    die "Failed: ${*:1:3} …; all of it is in $log"
  }
}

# --- libdrm: of this version on every system, inside the drivers ----------------------------------

if [ ! -e "$work/libdrm/.complete" ]; then
  say "Building libdrm $libdrm_version"
  rm -rf "$work/build-libdrm" "$work/libdrm"
  quietly "$work/libdrm.log" meson setup "$work/build-libdrm" "$sources/libdrm-$libdrm_version" \
    --prefix "$work/libdrm" --libdir lib -Dbuildtype=release -Ddefault_library=static \
    -Db_staticpic=true -Damdgpu=enabled -Dintel=disabled -Dnouveau=enabled -Dradeon=disabled \
    -Dvmwgfx=disabled -Dcairo-tests=disabled -Dman-pages=disabled -Dvalgrind=disabled -Dtests=false
  quietly "$work/libdrm.log" ninja -C "$work/build-libdrm" -j "$jobs" install
  touch "$work/libdrm/.complete"
fi
export PKG_CONFIG_PATH=$work/libdrm/lib/pkgconfig

# --- Mesa -----------------------------------------------------------------------------------------

source=$sources/mesa-$mesa_version build=$work/build
if chosen nvidia; then
  # The crates come from Debian's packages, whose versions differ from those Mesa names.
  export MESON_PACKAGE_CACHE_DIR=/usr/share/cargo/registry
  for crate in paste proc-macro2 quote syn unicode-ident; do
    folder=$(basename "$MESON_PACKAGE_CACHE_DIR/$crate"-[0-9]*)
    sed -i -e '/source.*/d' -e "s,$crate-[0-9].*,$folder," "$source/subprojects/$crate.wrap"
  done
fi
chosen_options=$(for v in "${vendors[@]}"; do printf '%s,' "${option[$v]}"; done)
configuration=(
  "-Dvulkan-drivers=${chosen_options%,}" -Dgallium-drivers= -Dplatforms= -Dvideo-codecs=
  -Dfreedreno-kmds=msm -Dtools=drm-shim,intel -Dintel-rt=disabled
  -Dglx=disabled -Degl=disabled -Dgbm=disabled -Dopengl=false -Dgles1=disabled -Dgles2=disabled
  -Dgallium-va=disabled -Dgallium-vdpau=disabled
  -Dllvm=enabled -Dshared-llvm=enabled
  -Dzstd=disabled -Dlibunwind=disabled -Dlmsensors=disabled -Dvalgrind=disabled
  -Dbuild-tests=false -Dbuildtype=release -Db_ndebug=true
)
stamp="$mesa_sha256 $llvm ${configuration[*]}"
if [ ! -e "$build/build.ninja" ] || [ "$(cat "$build/.configuration" 2>/dev/null)" != "$stamp" ]; then
  say "Configuring Mesa"
  rm -rf "$build"
  printf "[binaries]\nllvm-config = '/usr/lib/llvm-%s/bin/llvm-config'\n" "$llvm" >"$work/native.ini"
  quietly "$work/setup.log" meson setup "$build" "$source" --native-file "$work/native.ini" \
    "${configuration[@]}"
  printf '%s' "$stamp" >"$build/.configuration"
fi

progress() { # NAME: a line for every twentieth of ninja's steps
  local name=$1 line part last=0
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    part=$((20 * BASH_REMATCH[1] / BASH_REMATCH[2]))
    [ "$part" -eq "$last" ] || say "$name: $((5 * part)) % (${BASH_REMATCH[1]} of ${BASH_REMATCH[2]})"
    last=$part
  done
}

built=() # arguments of the manifest, for each driver

write_manifest() {
  local vendor without=()
  for vendor in "${!missing[@]}"; do
    without+=("--missing=$vendor=${missing[$vendor]}")
  done
  python3 "$root/packaging/compilers_manifest.py" "$to" --llvm "$llvm" \
    --mesa "$mesa_version" "$mesa_sha256" --libdrm "$libdrm_version" "$libdrm_sha256" \
    --licences "$source" "$sources/libdrm-$libdrm_version" "${built[@]}" "${without[@]}"
}

put() { # FILE: stripped, and never half there
  local name
  name=$(basename "$1")
  strip --strip-unneeded -o "$to/.$name" "$1"
  chmod 644 "$to/.$name"
  mv "$to/.$name" "$to/$name"
}

put_driver() { # VENDOR: its files, and the manifest by which the Vulkan loader finds it
  local name target
  for target in "${targets[@]}"; do put "$build/$target"; done
  name=$(basename "${library[$1]}")
  printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "./%s", "api_version": "1.4.305"}}\n' \
    "$name" >"$to/$1_icd.json"
  built+=(--built "$1" "$name" "$(basename "${shim[$1]:-}")")
}

for vendor in "${vendors[@]}"; do
  started=$SECONDS targets=("${library[$vendor]}")
  [ -z "${shim[$vendor]:-}" ] || targets+=("${shim[$vendor]}")
  log=$work/$vendor.log
  if ninja -C "$build" -j "$jobs" "${targets[@]}" 2>&1 | tee "$log" | progress "${title[$vendor]}"; then
    put_driver "$vendor"
    write_manifest
    say "${title[$vendor]}: done in $((SECONDS - started)) s"
  else
    grep -A 20 -m 1 '^FAILED' "$log" >&2 || tail -20 "$log" >&2
    missing[$vendor]="its build failed"
    say "${title[$vendor]} did not build; all of its output is in $log"
  fi
done
write_manifest
say "$(du -sh "$to" | cut -f1) in $to"
[ -e "$to/manifest.json" ] || exit 1
for vendor in "${vendors[@]}"; do
  [ -z "${missing[$vendor]:-}" ] || exit 1
done
