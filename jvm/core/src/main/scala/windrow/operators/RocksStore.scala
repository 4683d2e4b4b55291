package windrow.operators

import java.nio.file.Path
import windrow.ErrorConditions
import windrow.core.state.ListedStore

/** Keeps an operator in a folder, by RocksDB: `Context(store = RocksStore(folder))`. What `flush` has persisted is there when
  * the folder is opened again. One operator at a time may have a folder; closing the operator closes the store.
  *
  * It needs `org.rocksdb:rocksdbjni` on the class path, which Spark brings and windrow does not.
  */
object RocksStore {

  /** Opens a folder, which is made if it is not there.
    *
    * @throws java.lang.IllegalStateException
    *   if RocksDB is not on the class path, or the folder cannot be opened, for example since another operator has it
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
