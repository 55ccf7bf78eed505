"""Reads a published dataset with pyarrow, which is none of our own code, and
checks its columns, types and values.

usage: read-back.py DATASET [ROWS]

DATASET is the directory that publish wrote. ROWS is what publish -json printed:
then every value is compared. When the datasets library is installed it has to
load both configs too. Exit status 1 and one line per fault when something is
not as it should be.
"""

import datetime
import json
import os
import pathlib
import sys
import tempfile

import pyarrow as pa
import pyarrow.parquet as pq

STRING, INT, LONG, BOOL = pa.string(), pa.int32(), pa.int64(), pa.bool_()
TIME = pa.timestamp("ms", tz="UTC")


def struct(**fields):
    return pa.struct([pa.field(name, kind, nullable=False) for name, kind in fields.items()])


def several(kind):
    return pa.list_(pa.field("element", kind, nullable=False))


REPO = struct(
    repo=STRING, dir=STRING, base_commit=STRING, head_commit=STRING, pull_number=INT, role=STRING, language=STRING,
    license=STRING, patch=STRING, test_patch=STRING, merged_at=TIME,
)
MASK = struct(
    mask=STRING, patched=several(STRING), runs=INT, passed=INT, failed=INT, errored=INT, skipped=INT, verdict=STRING,
    failure=STRING,
)

# The columns that SWE-bench's tools read, in order.
COMMON = [
    "instance_id", "repo", "base_commit", "patch", "test_patch", "problem_statement", "hints_text", "created_at",
    "version", "FAIL_TO_PASS", "PASS_TO_PASS", "environment_setup_commit", "image", "image_name", "eval_script",
    "log_parser", "eval_type",
]
DEFAULT = {name: STRING for name in COMMON} | {
    "created_at": TIME, "FAIL_TO_PASS": several(STRING), "PASS_TO_PASS": several(STRING),
    "repos": several(REPO), "masks": several(MASK), "joint_tests": several(STRING), "single_side_tests": several(STRING),
    "verdict": STRING, "joint_level": STRING, "evidence": STRING, "task_intent": STRING, "domain": STRING,
    "languages": several(STRING), "latest_merge_at": TIME, "changed_files": INT, "changed_lines": INT,
    "image_bytes": LONG, "statement_approved": BOOL, "interface": several(STRING), "deny_list": several(STRING),
    "provenance": STRING, "canary": STRING, "digest": STRING,
}
SWEBENCH = {name: STRING for name in COMMON}

faults = []


def want(ok, text):
    if not ok:
        faults.append(text)


def read(root, config, columns):
    """Returns the rows of a config, its schema checked."""
    file = root / "data" / config / "test-00000-of-00001.parquet"
    parquet = pq.ParquetFile(file)
    want([f.name for f in parquet.schema_arrow] == list(columns), f"{config}: columns are {parquet.schema_arrow.names}")
    for field in parquet.schema_arrow:
        want(field.type == columns.get(field.name), f"{config}: {field.name} is {field.type}, want {columns.get(field.name)}")
        want(not field.nullable, f"{config}: {field.name} may be null")
    features = json.loads(parquet.schema_arrow.metadata[b"huggingface"])["info"]["features"]
    want(list(features) == list(columns), f"{config}: features are {list(features)}")
    groups = [parquet.metadata.row_group(i) for i in range(parquet.num_row_groups)]
    for group in groups:
        want(group.total_byte_size < 286 << 20, f"{config}: a row group has {group.total_byte_size} bytes")
        for i in range(group.num_columns):
            want(group.column(i).compression == "ZSTD", f"{config}: {group.column(i).path_in_schema} is {group.column(i).compression}")
            want(group.column(i).has_offset_index, f"{config}: {group.column(i).path_in_schema} has no page index")
    return parquet.read().to_pylist()


def plain(value):
    """Writes times as the JSON lines have them."""
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value


def compare(rows, swebench, lines):
    ids = [row["instance_id"] for row in rows]
    want(ids == sorted(ids) and len(ids) == len({i.lower() for i in ids}), "ids are not ordered and unique")
    want([row["instance_id"] for row in swebench] == ids, "the configs have different rows")
    for row, other in zip(rows, swebench):
        row = plain(row)
        for name in COMMON:
            value = json.loads(other[name]) if name.endswith("TO_PASS") else other[name]
            want(value == row[name], f"{row['instance_id']}: {name} differs between the configs")
        want(len(row["FAIL_TO_PASS"]) > 0, f"{row['instance_id']}: FAIL_TO_PASS is empty")
        if lines is not None:
            written = lines.get(row["instance_id"])
            want(row == written, f"{row['instance_id']}: values differ from those written: {differing(row, written)}")
    want(lines is None or len(lines) == len(rows), "the number of rows differs from that written")


def differing(row, written):
    return [name for name in row if written is None or row[name] != written.get(name)]


def load(root, count):
    """Loads both configs with the datasets library, when it is there."""
    os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_DISABLE_PROGRESS_BARS="1")
    try:
        import datasets
    except ImportError:
        return "without the datasets library"
    for config, columns in (("default", DEFAULT), ("swebench", SWEBENCH)):
        with tempfile.TemporaryDirectory() as cache:
            loaded = datasets.load_dataset(str(root), config, split="test", cache_dir=cache)
        want(loaded.num_rows == count and loaded.column_names == list(columns), f"datasets reads {config} as {loaded}")
    return "and with datasets " + datasets.__version__


def main(args):
    if len(args) not in (1, 2):
        sys.exit(__doc__)
    root = pathlib.Path(args[0])
    lines = None
    if len(args) == 2:
        records = [json.loads(line) for line in open(args[1], encoding="utf-8")]
        lines = {r["body"]["instance_id"]: r["body"] for r in records if r["record"] == "instance"}
    rows = read(root, "default", DEFAULT)
    compare(rows, read(root, "swebench", SWEBENCH), lines)
    how = load(root, len(rows))
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(rows)} rows read back with pyarrow {pa.__version__} {how}: {len(faults)} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
