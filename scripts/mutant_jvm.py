"""The JVMs of `scripts/mutants`, which stay alive to compile mutants and to run tests on them."""

import os
import queue
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / ".build" / "mutants"
SILENCE = 14400  # seconds
MOST = 40  # mutants after which a JVM is restarted, because their classes fill the memory


@dataclass
class Jvm:
    """A warm JVM with a compiler and tests. `program` is the main class of its server."""

    name: str
    program: str
    memory: str
    process: subprocess.Popen[str] | None = None
    asked: int = field(default=0)

    def start(self) -> subprocess.Popen[str]:
        """Start the process if it is not running, and return it."""
        if self.process is None:
            WORK.mkdir(parents=True, exist_ok=True)
            classpath = WORK / f"classpath-{self.name}"
            classpath.write_text(os.environ[f"CLASSES_{self.name.upper()}"])
            opens = (ROOT / "scripts/conf/spark-opens.txt").read_text().split()
            options = [
                *(f"--add-opens={package}=ALL-UNNAMED" for package in opens),
                *(self.memory, "-Xss8m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                *("-Duser.timezone=UTC", "-Dwindrow.cases=100", "-Dwindrow.mode=quick"),
                f"-Djava.io.tmpdir={ROOT / '.build' / 'tmp'}",
                f"-Dlog4j2.configurationFile={(ROOT / 'scripts/conf/log4j2.properties').as_uri()}",
            ]
            with (WORK / f"server-{self.name}.log").open("w") as log:
                self.process = subprocess.Popen(
                    [
                        *(os.environ["JAVA"], *options, "-cp", classpath.read_text()),
                        *(self.program, str(classpath)),
                    ],
                    cwd=ROOT,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                )
        return self.process

    def ask(self, *words: object) -> str:
        """Send a command, and return the answer. A timeout or a lack of memory stops the JVM."""
        process = self.start()
        assert process.stdin is not None
        process.stdin.write("\t".join(map(str, words)) + "\n")
        process.stdin.flush()
        answers: queue.Queue[str] = queue.Queue()
        threading.Thread(target=lambda: answers.put(self.answer(process)), daemon=True).start()
        try:
            said = answers.get(timeout=SILENCE)
        except queue.Empty:
            said = f"no end within {SILENCE} s"
        if said.startswith("no end") or "OutOfMemory" in said:
            self.close()
        return said

    def rest(self) -> None:
        """Count a mutant, and stop the JVM after every MOST mutants."""
        self.asked += 1
        if self.asked % MOST == 0:
            self.close()

    @staticmethod
    def answer(process: subprocess.Popen[str]) -> str:
        """Read lines up to the answer, and return it."""
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("=> "):
                return line.removeprefix("=> ").strip()
        return "no end: the JVM has stopped"

    def close(self) -> None:
        """Kill the process if it is running."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


CORE = Jvm("core", "windrow.testkit.mutants.MutantServer", "-Xmx1500m")
SPARK = Jvm("spark", "org.apache.spark.sql.windrow.mutants.SparkMutantServer", "-Xmx2g")
