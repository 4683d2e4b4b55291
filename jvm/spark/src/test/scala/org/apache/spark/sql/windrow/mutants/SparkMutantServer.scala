package org.apache.spark.sql.windrow.mutants

import java.nio.file.{Path, Paths}
import java.util.UUID
import org.apache.spark.SparkContext
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator
import py4j.ClientServer
import windrow.testkit.mutants.{ChangedClasses, MutantServer, MutantTests}

/** Runs the tests of Spark's side with changed classes. Starts a new Spark session with the changed classes for each
  * request:
  *
  *   - `suites FOLDER NAME...`: returns which of these suites failed with the classes in the folder, or `nothing`;
  *     without names, runs all suites
  *   - `gateway FOLDER`: returns the port and the secret of a JVM that has these classes, for Python's tests
  *   - `over`: Python's tests have ended
  */
object SparkMutantServer {
  private var gateway = Option.empty[ClientServer]

  def main(arguments: Array[String]): Unit = MutantServer.serve(arguments(0)) { folders =>
    {
      case "suites" +: folder +: names =>
        MutantServer.timed {
          try new MutantTests(folders, Paths.get(folder)).failureOf(names)
          finally stop()
        }
      case Seq("gateway", folder) => opened(folders, Paths.get(folder))
      case Seq("over") =>
        stop()
        "nothing"
    }
  }

  /** Opens the gateway. Its threads inherit the class loader of the creating thread. */
  private def opened(folders: Seq[Path], changed: Path): String = {
    val secret = UUID.randomUUID.toString
    val before = Thread.currentThread.getContextClassLoader
    Thread.currentThread.setContextClassLoader(ChangedClasses(folders, changed))
    val server =
      try new ClientServer.ClientServerBuilder().authToken(secret).javaPort(0).build()
      finally Thread.currentThread.setContextClassLoader(before)
    server.startServer()
    gateway = Some(server)
    s"${server.getJavaServer.getListeningPort} $secret"
  }

  private def stop(): Unit = {
    SparkContext.getActive.foreach(_.stop())
    gateway.foreach(_.shutdown())
    gateway = None
    forget()
  }

  /** Clears Spark's cache of generated code, which refers to the previous classes. */
  private def forget(): Unit = {
    val field = CodeGenerator.getClass.getDeclaredFields.find(_.getName.endsWith("cache")).get
    field.setAccessible(true)
    val cache = field.get(CodeGenerator)
    cache.getClass.getMethod("invalidateAll").invoke(cache)
    ()
  }
}
