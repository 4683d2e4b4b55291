# Sourced by every script: paths, messages, and helpers for the tools that have to exist.
# shellcheck shell=bash disable=SC2034
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
venv=$root/.venv
python=$venv/bin/python
build=$root/.build
other_sparks=(4.0.2 4.1.1 4.2.0) # supported in addition to the one in .venv

# Always uses the Spark and the Python of .venv, whatever environment the caller has.
unset PYTHONPATH PYTHONHOME SPARK_HOME SPARK_CONF_DIR
export PYSPARK_PYTHON=$python PYSPARK_DRIVER_PYTHON=$python

# Without a UTF-8 locale Java cannot open a checkout whose path is not plain ASCII.
case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in *[Uu][Tt][Ff]*) ;; *) export LC_ALL=C.UTF-8 ;; esac

# Temporary files of Python, Spark and RocksDB stay in the checkout; Spark stays on this machine.
mkdir -p "$build/tmp"
export SPARK_LOCAL_IP=${SPARK_LOCAL_IP:-127.0.0.1}
export TMPDIR=$build/tmp SPARK_LOCAL_DIRS=$build/tmp
export SPARK_SUBMIT_OPTS="\"-Djava.io.tmpdir=$build/tmp\" ${SPARK_SUBMIT_OPTS:-}"

say() { printf 'windrow: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

# Runs a function or command until its first failure and sets `status`. The script continues in either case.
try() {
  set +e
  (set -e; "$@")
  status=$?
  set -e
}

# timed WHAT COMMAND...: runs a command, and prints its description and how long it took.
timed() {
  local what=$1 start=$SECONDS; shift
  say "$what ..."
  try "$@"
  if [ "$status" -eq 0 ]; then say "$what: done in $((SECONDS - start)) s"; else say "$what: FAILED after $((SECONDS - start)) s"; fi
  return "$status"
}

# Sets `java` to a JVM of version 17 or later, from JAVA_HOME or else from the PATH.
find_java() {
  local version
  java=${JAVA_HOME:+$JAVA_HOME/bin/java}
  [ -x "$java" ] || java=$(command -v java) || fail "Java was not found. Install Java 17, or set JAVA_HOME."
  version=$("$java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.specification.version = //p')
  [ "${version%%.*}" -ge 17 ] || fail "$java is Java $version, but Windrow needs Java 17 or later. Set JAVA_HOME to such a version."
}

sha256() { if command -v sha256sum > /dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }

# Prints a digest of files and folders of the checkout, by relative path and content.
fingerprint() {
  (cd "$root" && find "$@" -type f ! -path '*/target/*' -print0 | LC_ALL=C sort -z | {
    files=()
    while IFS= read -r -d '' file; do files+=("$file"); done
    sha256 "${files[@]}"
  }) | sha256 | cut -d' ' -f1
}

# Succeeds if `note_stamp` wrote $2 under the name $1.
stamp_is() { [ -f "$build/stamps/$1" ] && [ "$(cat "$build/stamps/$1")" = "$2" ]; }
note_stamp() { mkdir -p "$build/stamps" && printf '%s\n' "$2" > "$build/stamps/$1"; }

windrow_version() { sed -n 's/^__version__ = "\(.*\)"$/\1/p' "$root/python/windrow/_version.py"; }

# Prints the path of the JAR that `scripts/build testkit` builds.
testkit_jar() { echo "$build/testkit/windrow-testkit-$(windrow_version).jar"; }

# run_scala CLASSES MAIN ARGUMENT...: runs a main class with the Windrow JAR, CLASSES, and the Spark of .venv on the class
# path, and with java_options.
java_options=()
run_scala() {
  local classes=$1 opens=() package spark; shift
  find_java
  spark=$("$python" -c 'import pathlib, pyspark; print(pathlib.Path(pyspark.__file__).parent / "jars")')
  while read -r package; do opens+=("--add-opens=$package=ALL-UNNAMED"); done < "$root/scripts/conf/spark-opens.txt"
  exec "$java" "${opens[@]}" ${java_options[@]+"${java_options[@]}"} "-Xmx${WINDROW_HEAP:-4g}" -Xss8m -Duser.timezone=UTC "-Djava.io.tmpdir=$build/tmp" \
    "-XX:ErrorFile=$build/tmp/hs_err_pid%p.log" -cp "$root/scripts/conf:$root/python/windrow/jars/windrow-$(windrow_version).jar:$classes:$spark/*" "$@"
}
