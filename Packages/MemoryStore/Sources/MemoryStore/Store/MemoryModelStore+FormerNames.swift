import StoreEngine

// Names of the libraries that this one follows: the compiler reports the names that are used here.

extension MemoryModelStore {
  /// There is no store for the whole process: create one, and pass it to its users.
  @available(*, unavailable, message: "There is no shared store: create one with MemoryModelStore() and pass it.")
  public static var sharedInstance: MemoryModelStore { MemoryModelStore() }

  /// There is no store for the whole process: create one, and pass it to its users.
  @available(*, unavailable, message: "There is no shared store: create one with MemoryModelStore() and pass it.")
  public static var shared: MemoryModelStore { MemoryModelStore() }
}
