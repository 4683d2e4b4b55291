package windrow.spark.jdbc

import java.lang.reflect.{InvocationTargetException, Proxy}
import java.sql.{Connection, DatabaseMetaData, Driver, DriverManager, DriverPropertyInfo}
import java.util.Properties
import java.util.logging.Logger

/** The driver of a database without savepoints: Derby, with addresses that begin with `jdbc:plain:`. */
final class WithoutSavepoints extends Driver {
  def acceptsURL(url: String): Boolean = url.startsWith("jdbc:plain:")

  def connect(url: String, settings: Properties): Connection =
    if (!acceptsURL(url)) null
    else {
      val derby = DriverManager.getConnection(url.replace("jdbc:plain:", "jdbc:derby:"), settings)
      changed(classOf[Connection], derby) {
        case "getMetaData" =>
          changed(classOf[DatabaseMetaData], derby.getMetaData) { case "supportsSavepoints" => Boolean.box(false) }
      }
    }

  /** Returns an object whose methods with these names return other values. */
  private def changed[T](kind: Class[T], of: T)(other: PartialFunction[String, AnyRef]): T = kind.cast(
    Proxy.newProxyInstance(
      getClass.getClassLoader,
      Array(kind),
      (_, method, arguments) =>
        other.applyOrElse[String, AnyRef](
          method.getName,
          _ =>
            try method.invoke(of, Option(arguments).toSeq.flatten: _*)
            catch { case wrong: InvocationTargetException => throw wrong.getCause })))

  def getPropertyInfo(url: String, settings: Properties): Array[DriverPropertyInfo] = Array.empty
  def getMajorVersion: Int                                                          = 1
  def getMinorVersion: Int                                                          = 0
  def jdbcCompliant: Boolean                                                        = false
  def getParentLogger: Logger                                                       = Logger.getGlobal
}
