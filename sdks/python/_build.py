"""Builds the package (PEP 517) without other packages, so that installing it needs no network."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path
from typing import Any, Dict

folder = Path(__file__).resolve().parent


def build_wheel(directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    """The modules, and what pip has to know about them."""
    project = read_project()
    name = f"{project['name']}-{project['version']}"
    files = {path: (folder / path).read_bytes() for path in list_modules()}
    files[f"{name}.dist-info/METADATA"] = describe(project)
    files[f"{name}.dist-info/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: manilla\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    record = "".join(f"{path},{to_hash(data)},{len(data)}\n" for path, data in files.items())
    files[f"{name}.dist-info/RECORD"] = f"{record}{name}.dist-info/RECORD,,\n".encode()
    with zipfile.ZipFile(Path(directory) / f"{name}-py3-none-any.whl", "w", 8) as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
    return f"{name}-py3-none-any.whl"


def build_sdist(directory: str, config_settings: Any = None) -> str:
    """What it takes to build the wheel again."""
    project = read_project()
    name = f"{project['name']}-{project['version']}"
    with tarfile.open(Path(directory) / f"{name}.tar.gz", "w:gz") as archive:
        for path in [*list_modules(), "README.md", "_build.py", "pyproject.toml"]:
            archive.add(folder / path, f"{name}/{path}")
        metadata = describe(project)
        entry = tarfile.TarInfo(f"{name}/PKG-INFO")
        entry.size = len(metadata)
        archive.addfile(entry, io.BytesIO(metadata))
    return f"{name}.tar.gz"


def list_modules() -> list[str]:
    paths = [*folder.glob("manilla/**/*.py"), folder / "manilla/py.typed"]
    return sorted(path.relative_to(folder).as_posix() for path in paths)


def read_project() -> Dict[str, str]:
    """The lines of pyproject.toml that have a text: Python 3.9 cannot read TOML."""
    text = (folder / "pyproject.toml").read_text("utf-8")
    return dict(re.findall(r'^([\w-]+) = "(.*)"$', text, re.MULTILINE))


def describe(project: Dict[str, str]) -> bytes:
    head = {
        "Metadata-Version": "2.1",
        "Name": project["name"],
        "Version": project["version"],
        "Summary": project["description"],
        "License": project["license"],
        "Requires-Python": project["requires-python"],
        "Description-Content-Type": "text/markdown",
    }
    readme = (folder / project["readme"]).read_text("utf-8")
    return "".join([*(f"{key}: {value}\n" for key, value in head.items()), "\n", readme]).encode()


def to_hash(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={digest}"
