package windrow.operators

import java.nio.file.Path
import windrow.ErrorConditions
import windrow.core.state.ListedStore

/** Keeps an operator's state in a folder, in RocksDB: `Context(store = RocksStore(folder))`. State persisted by `flush`
  * is available when the folder is opened again. Only one operator at a time can use a folder. Closing the operator
  * closes the store.
  *
  * It needs `org.rocksdb:rocksdbjni` on the class path. Spark includes it; Windrow does not.
  */
object RocksStore {

  /** Opens a folder and creates it if it does not exist.
    *
    * @throws java.lang.IllegalStateException
    *   if RocksDB is not on the class path, or the folder cannot be opened, for example because another operator uses
    *   it
    */
  def apply(folder: Path): ListedStore with AutoCloseable = {
    requireRocksDB()
    new RocksFolder(folder)
  }

  private def requireRocksDB(): Unit =
    try { Class.forName("org.rocksdb.RocksDB", true, getClass.getClassLoader); () }
    catch {
      case error @ (_: ClassNotFoundException | _: LinkageError) =>
        throw new IllegalStateException(
          ErrorConditions.message("ROCKSDB_MISSING"),
          error)
    }
}
