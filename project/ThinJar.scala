import java.io.File
import java.nio.file.{Files, StandardCopyOption}
import java.util.jar.{Attributes, Manifest}
import sbt.*

/** Writes one JAR of the classes and resources of this project, without its dependencies. */
object ThinJar {
  private val January1980 = 315532800000L // one timestamp, so that the same sources produce the same bytes

  /** Writes the JAR. A process that has loaded the former one keeps it, because an equal JAR stays, and another one is
    * moved to its place when it is complete.
    *
    * @param roots
    *   the folders of classes and resources of the modules
    */
  def write(roots: Seq[File], license: File, version: String, jar: File): File = {
    val files    = roots.flatMap(root => Path.allSubpaths(root).filter(_._1.isFile))
    val combined = IO.createTemporaryDirectory
    try {
      val entries = files.groupBy(_._2).toSeq.sortBy(_._1).map {
        case (path, Seq((file, _))) => file -> path
        case (path, several) if path.startsWith("META-INF/services/") =>
          concatenated(several.map(_._1), combined / path) -> path
        case (path, several) => sys.error(s"Several modules contain $path: ${several.map(_._1).mkString(", ")}")
      }
      IO.delete(((jar.getParentFile * "*.jar") --- jar).get()) // of other versions
      val made = combined / jar.getName
      IO.jar(entries :+ (license -> "META-INF/LICENSE"), made, manifest(version), Some(January1980))
      if (!jar.exists || Files.mismatch(made.toPath, jar.toPath) >= 0) moved(made, jar)
      jar
    } finally IO.delete(combined)
  }

  /** Writes a JAR of sources or documentation.
    *
    * @param files
    *   the files and their paths in the JAR
    */
  def archive(files: Seq[(File, String)], version: String, jar: File): File = {
    IO.jar(files.sortBy(_._2), jar, manifest(version), Some(January1980))
    jar
  }

  private def moved(from: File, to: File): Unit = {
    val beside = to.getParentFile / s".${to.getName}"
    IO.copyFile(from, beside)
    Files.move(beside.toPath, to.toPath, StandardCopyOption.ATOMIC_MOVE)
  }

  private def concatenated(files: Seq[File], into: File): File = {
    IO.writeLines(into, files.flatMap(IO.readLines(_)))
    into
  }

  private def manifest(version: String): Manifest = {
    val result = new Manifest
    result.getMainAttributes.put(Attributes.Name.MANIFEST_VERSION, "1.0")
    result.getMainAttributes.put(Attributes.Name.IMPLEMENTATION_TITLE, "windrow")
    result.getMainAttributes.put(Attributes.Name.IMPLEMENTATION_VERSION, version)
    result
  }
}
