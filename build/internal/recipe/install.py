"""Installs the dependencies of all repositories of an image into one environment.

  prepare      makes the environment and fetches uv
  environment  resolves and installs what the tests of all repositories need
  backend      installs what a build back end needs into a directory of its own
  finish       removes what must not be in the image, and compiles the rest

The distributions of the set are resolved as local directories, so that no index
is asked for them and their own dependencies are known whatever form they have.
They are removed afterwards: the image installs the checkouts themselves.
"""

import argparse, importlib.util, json, os, re, shutil, subprocess, sys

VENV = "/opt/venv"
BACKENDS = "/opt/pybuild"
ROOT = "/deps/python"
LOCALS = ROOT + "/locals.json"
BUNDLE = "/etc/ssl/certs/ca-certificates.crt"
# Before setuptools 64 no checkout could be installed in place by PEP 660.
EDITABLE_SINCE = "2022-09"


def run(*args, **more):
    print("+", " ".join(args), flush=True)
    return subprocess.run(args, **more).returncode


def must(*args, **more):
    code = run(*args, **more)
    if code:
        sys.exit(code)


def normal(line):
    m = re.match(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)", line)
    return re.sub("[-_.]+", "-", m.group(1)).lower() if m else ""


def uv(*args):
    return [ROOT + "/uv/bin/uv", "--no-progress", "--no-cache", *args]


def write(name, lines):
    path = os.path.join(ROOT, name)
    with open(path, "w") as f:
        f.writelines(line + "\n" for line in lines)
    return path


def dates(args):
    """What was published until the change; of what builds packages, something that works today."""
    newest = ["--exclude-newer", args.newest]
    if args.newest[:7] < EDITABLE_SINCE:
        for name in ("setuptools", "wheel"):
            newest += ["--exclude-newer-package", name + "=2023-02-01T00:00:00Z"]
    return newest


# What the resolver says of a package that has no fitting version of that time: it
# was taken from the index and published anew.
REPUBLISHED = re.compile(r"`([\w.-]+)` was filtered by `exclude-newer`")
ROUNDS = 6


def resolve(*command):
    """Runs the resolver, letting the packages that it misses be younger."""
    younger = []
    for _ in range(ROUNDS):
        print("+", " ".join([*command, *younger]), flush=True)
        done = subprocess.run([*command, *younger], stderr=subprocess.PIPE, text=True)
        print(done.stderr, flush=True)
        missing = [n for n in REPUBLISHED.findall(done.stderr) if n + "=2100-01-01T00:00:00Z" not in younger]
        if done.returncode == 0 or not missing:
            return done.returncode
        for name in missing:
            younger += ["--exclude-newer-package", name + "=2100-01-01T00:00:00Z"]
    return done.returncode


def prepare(args):
    must("python3", "-m", "venv", VENV)
    must(VENV + "/bin/pip", "install", "--quiet", "--no-cache-dir", "--target", ROOT + "/uv", "uv")
    os.makedirs(BACKENDS, exist_ok=True)


def environment(args):
    locals_ = [normal(line) for line in args.local]
    with open(LOCALS, "w") as f:
        json.dump(locals_, f)
    overrides = write("overrides.txt", args.local + args.override)
    base = uv("pip", "install", "--python", VENV + "/bin/python", *dates(args), "--overrides", overrides)
    wanted = args.local + args.product
    if resolve(*base, "-r", write("requirements.txt", wanted + args.test)):
        # Two repositories may pin one tool of their tests differently.
        print("tests ask for versions that exclude one another: the last repository's count", flush=True)
        last = {}
        for line in args.test:
            last[normal(line)] = line
        if resolve(*base, "-r", write("requirements.txt", wanted + list(last.values()))):
            sys.exit(1)
    constraints = write("constraints.txt", frozen(locals_))
    loose = [line for line in args.loose if normal(line) not in locals_]
    if loose and run(*base, "-c", constraints, "-r", write("loose.txt", loose)):
        for line in loose:
            if run(*base, "-c", constraints, line):
                print("left out, since no index has it or it does not fit:", line, flush=True)


def frozen(without):
    out = subprocess.run(uv("pip", "freeze", "--python", VENV + "/bin/python"), stdout=subprocess.PIPE, check=True, text=True).stdout
    return [line for line in out.splitlines() if "==" in line and normal(line) not in without]


def backend(args):
    requirements = write("backend.txt", args.product)
    must(*uv("pip", "install", "--python", VENV + "/bin/python", "--target", args.into, *dates(args), "-r", requirements))


def finish(args):
    names = json.load(open(LOCALS)) if os.path.exists(LOCALS) else []
    if names:
        must(*uv("pip", "uninstall", "--python", VENV + "/bin/python", *names))
    for root, dirs, files in os.walk(BACKENDS):
        for name in dirs + files:
            # A back end may need a sibling itself: it must come from its checkout.
            if root.count(os.sep) == BACKENDS.count(os.sep) + 1 and normal(name.split("-")[0]) in names:
                path = os.path.join(root, name)
                shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.remove(path)
    run(VENV + "/bin/python", "-m", "compileall", "-q", "-j", "0", VENV + "/lib")


def main():
    if os.path.exists(BUNDLE):
        for name in ("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE"):
            os.environ.setdefault(name, BUNDLE)
    os.environ["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    p = argparse.ArgumentParser()
    p.add_argument("action", choices=["prepare", "environment", "backend", "finish"])
    p.add_argument("--newest", default="")
    p.add_argument("--into", default="")
    for name in ("local", "override", "product", "test", "loose"):
        p.add_argument("--" + name, action="append", default=[])
    args = p.parse_args()
    globals()[args.action](args)


main()
