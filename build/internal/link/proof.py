import importlib.metadata as metadata, importlib.util as util, json, os, re, sys
from urllib.parse import unquote, urlparse

name, root, modules = sys.argv[1], sys.argv[2], sys.argv[3:]


def end(text):
    print(text)
    sys.exit()


def inside(place):
    place = os.path.realpath(place)
    return place == root or place.startswith(root + os.sep)


def editable(dist):
    url = json.loads(dist.read_text("direct_url.json") or "{}")
    return url.get("dir_info", {}).get("editable") and inside(unquote(urlparse(url["url"]).path))


count = 0
for dist in metadata.distributions():
    if re.sub("[-_.]+", "-", dist.metadata["Name"] or "").lower() != name:
        continue
    count += 1
    if not inside(str(dist.locate_file(""))) and not editable(dist):
        end("a copy of %s %s in %s" % (name, dist.version, dist.locate_file("")))
if not count:
    end("%s is not installed" % name)
for module in modules:
    try:
        spec = util.find_spec(module)
    except Exception as e:
        end("%s: %s: %s" % (module, type(e).__name__, e))
    if spec is None:
        end("%s is nowhere" % module)
    places = list(spec.submodule_search_locations or []) + [p for p in [spec.origin] if p and p != "namespace"]
    for place in places:
        if not inside(place):
            end("%s is in %s" % (module, place))
print(root)
