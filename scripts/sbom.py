"""Write the SBOMs of the wheel and of the JAR to dist/, as CycloneDX JSON.

Both files contain only Windrow. Its dependencies are provided by the environment in which it runs,
so the SBOM lists them with the accepted versions. The same sources produce the same bytes.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tomllib
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output import make_outputter
from cyclonedx.schema import OutputFormat, SchemaVersion
from packageurl import PackageURL

ROOT = Path(__file__).parents[1]
VERSION = re.compile(r'val (\w+)\s*= "([^"]+)"')
#: Libraries that the JAR is compiled against and that Spark provides. The versions are in
#: project/Versions.scala.
PROVIDED = (
    ("org.apache.spark", "spark-sql_2.13", "sparkCompile", "Apache-2.0"),
    ("org.scala-lang", "scala-library", "scala", "Apache-2.0"),
    ("com.fasterxml.jackson.core", "jackson-databind", "jackson", "Apache-2.0"),
    ("org.rocksdb", "rocksdbjni", "rocksdb", "Apache-2.0"),
    ("org.roaringbitmap", "RoaringBitmap", "roaring", "Apache-2.0"),
)


def bom(main: Component, needs: Iterable[Component], file: Path) -> Bom:
    """Return the SBOM of a file. Its serial number is derived from the contents of the file."""
    digest = HashType(alg=HashAlgorithm.SHA_256, content=_sha256(file))
    main.hashes.add(digest)
    made = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"{file.name} {digest.content}"))
    made.metadata.timestamp = datetime(1980, 1, 1, tzinfo=UTC)
    made.metadata.component = main
    for need in needs:
        made.components.add(need)
    made.register_dependency(main, made.components)
    return made


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def component(
    kind: str, name: str, version: str | None, licence: str | None, **more: str
) -> Component:
    """Return a component with its package URL."""
    url = PackageURL(kind, more.get("group"), name, version)
    return Component(
        name=name,
        group=more.get("group"),
        version=version,
        type=ComponentType.LIBRARY,
        bom_ref=str(url),
        purl=url,
        licenses=[DisjunctiveLicense(id=licence)] if licence else [],
        scope=ComponentScope.OPTIONAL if "extra" in more else None,
        properties=[
            Property(name=f"windrow:{n}", value=more[n]) for n in ("extra", "taken") if n in more
        ],
    )


def of_wheel() -> list[Component]:
    """Return the dependencies of the extras of the package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found = {}
    for extra, lines in project["optional-dependencies"].items():
        for line in lines:
            name = re.split(r"[\[<>=~! ]", line)[0]
            if name != project["name"]:
                taken = line.removeprefix(name)
                found[name] = component("pypi", name, None, None, extra=extra, taken=taken)
    return list(found.values())


def of_jar() -> list[Component]:
    """Return the dependencies of the JAR that Spark provides."""
    versions = dict(VERSION.findall((ROOT / "project" / "Versions.scala").read_text()))
    return [
        component("maven", name, versions[at], licence, group=group)
        for group, name, at, licence in PROVIDED
    ]


def main() -> int:
    """Write both SBOMs."""
    (wheel,) = (ROOT / "dist").glob("windrow-*.whl")
    (jar,) = (ROOT / "dist").glob("windrow-*.jar")
    version = wheel.name.split("-")[1]
    for file, whole, needs in (
        (wheel, component("pypi", "windrow", version, "Apache-2.0"), of_wheel()),
        (
            jar,
            component("maven", "windrow_2.13", version, "Apache-2.0", group="io.windrow"),
            of_jar(),
        ),
    ):
        text = make_outputter(bom(whole, needs, file), OutputFormat.JSON, SchemaVersion.V1_6)
        file.with_suffix(file.suffix + ".cdx.json").write_text(
            text.output_as_string(indent=2) + "\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
