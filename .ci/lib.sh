# shellcheck shell=bash
# Shared by ./verify, ./holdfast and .ci/images/build, which source it. Kept to bash 3.2, which macOS has; what runs
# on Linux alone may use more.

# What `su` and bare CI runners leave out of the PATH and the environment.
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin" LANG="${LANG:-C.UTF-8}"

say() { printf '%s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

# limit SECONDS COMMAND...: bounds a command that may hang, where the system has timeout(1).
limit() {
  if has timeout; then timeout -k 2 "$@"; else shift; "$@"; fi
}

# --- what is missing ---------------------------------------------------------------------------------------

missing='' packages=''
# need WHAT PACKAGE...: notes that WHAT is missing, and which Debian packages have it.
need() {
  missing="${missing:+$missing, }$1"; shift
  packages="$packages $*"
}

can_install() { [ "$(id -u)" = 0 ] && has apt-get; }

# Installs what `need` noted, or says in one sentence what is missing.
install_needed() {
  [ -n "$missing" ] || return 0
  can_install || die "Missing: $missing; as root on Debian or Ubuntu, this command installs what is missing itself."
  # shellcheck disable=SC2086 # a list of words
  install_packages $packages
  missing='' packages=''
}

install_packages() {
  local log package chosen=''
  log=$(mktemp)
  say "installing $* …"
  if ! apt-get update >"$log" 2>&1; then cat "$log" >&2; die "apt-get update failed."; fi
  for package; do chosen="$chosen $(package_here "$package")"; done
  # shellcheck disable=SC2086 # a list of words
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 $chosen >"$log" 2>&1 </dev/null ||
    { tail -n 40 "$log" >&2; die "Installing$chosen failed."; }
  rm -f "$log"
}

# What the release at hand calls a package of Debian 12.
package_here() {
  case $1 in
    openjdk-17-jdk-headless) if has_package "$1"; then echo "$1"; else echo default-jdk-headless; fi ;;
    docker.io) if has_package docker-cli; then echo "$1 docker-cli"; else echo "$1"; fi ;; # a package of its own since Debian 13
    *) echo "$1" ;;
  esac
}
has_package() { apt-cache show "$1" >/dev/null 2>&1; }

# Debian packages that are not installed, of those named.
not_installed() {
  local package
  for package; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || printf '%s\n' "$package"
  done
}

# --- JDK and Maven -----------------------------------------------------------------------------------------

# Exports JAVA_HOME of a JDK 17 or newer: the one it names, the PATH's, or one of the distribution's. Debian's
# maven brings a JRE, which may be another Java than the JDK and is what mvn takes without JAVA_HOME.
use_jdk() {
  local home
  for home in "${JAVA_HOME:-}" "$(java_home_on_path)" /usr/lib/jvm/*; do
    if [ -n "$home" ] && [ "$(jdk_version "$home")" -ge 17 ]; then export JAVA_HOME="$home"; return 0; fi
  done
  return 1
}

java_home_on_path() {
  if has java; then java -XshowSettings:properties -version 2>&1 | tr -d '\r' | sed -n 's/^ *java\.home = //p'; fi
}

# The feature version of the JDK at a directory; 0 where there is no compiler.
jdk_version() {
  local version=''
  [ ! -x "$1/bin/javac" ] || version=$("$1/bin/javac" -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')
  printf '%s\n' "${version:-0}"
}

need_build_tools() {
  use_jdk || need 'a JDK 17 or newer' openjdk-17-jdk-headless ca-certificates
  has mvn || need 'Maven 3.8 or newer' maven ca-certificates
}

# --- Docker ------------------------------------------------------------------------------------------------

engine_label=dev.holdfast.engine

engine_answers() { has docker && limit 20 docker version >/dev/null 2>&1; }

# Is the engine a process of this machine (or container) rather than one behind a mounted or remote socket?
engine_is_local() { [ -z "${DOCKER_HOST:-}" ] && grep -qsx dockerd /proc/[0-9]*/comm; }

# Is it one that start_engine started?
engine_is_ours() { docker info -f '{{join .Labels "\n"}}' 2>/dev/null | grep -qx "$engine_label=verify"; }

# Starts the engine and leaves it running: the next run finds it, and the images in it, at once. It keeps none
# of the caller's file descriptors, so nothing waits for it to end. False, with the reason told, if it does not start.
start_engine() {
  local log=/var/log/dockerd.log mounted_root=()
  if [ -n "${DOCKER_HOST:-}" ]; then say "No Docker engine answers at $DOCKER_HOST."; return 1; fi
  if [ -d /run/systemd/system ]; then
    systemctl start docker && wait_for_engine && return
    say 'The docker service does not start.'
    return 1
  fi
  if [ "$(cat "/proc/$(cat /var/run/docker.pid 2>/dev/null)/comm" 2>/dev/null)" = dockerd ]; then
    wait_for_engine && return
    say 'A Docker engine runs here but does not answer.'
    return 1
  fi
  # An engine that was killed leaves these, and they stop the next one when their number is taken again.
  rm -f /var/run/docker.pid /var/run/docker/containerd/containerd.pid
  # In a plain chroot the root is no mount point, and the engine needs one.
  # shellcheck disable=SC2016 # for the inner shell
  mountpoint -q / || mounted_root=(unshare --mount --propagation unchanged \
    sh -c 'mount --rbind / /mnt && mount --make-rprivate /mnt && exec chroot /mnt "$@"' sh)
  # --ip: ports are published on loopback alone; with both families, 20.10 may give one port two numbers (moby #42442).
  setsid "${mounted_root[@]}" dockerd --ip 127.0.0.1 --label "$engine_label=verify" >"$log" 2>&1 </dev/null &
  wait_for_engine $! && return
  tail -n 20 "$log" >&2
  say "The Docker engine does not start; its log is $log."
  return 1
}

wait_for_engine() { # [PID of the engine]
  local end=$((SECONDS + 30))
  until engine_answers; do
    [ $SECONDS -lt $end ] && kill -0 "${1:-$$}" 2>/dev/null || return 1
    sleep 0.2
  done
}
