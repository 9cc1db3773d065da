import StoreEngine

// Names of the libraries that this one follows: the compiler reports the names that are used here.

extension MemoryModelStore {
  /// There is no store for the whole process: make one, and hand it to who needs it.
  @available(*, unavailable, message: "There is no shared store: make one with MemoryModelStore() and hand it on.")
  public static var sharedInstance: MemoryModelStore { MemoryModelStore() }

  /// There is no store for the whole process: make one, and hand it to who needs it.
  @available(*, unavailable, message: "There is no shared store: make one with MemoryModelStore() and hand it on.")
  public static var shared: MemoryModelStore { MemoryModelStore() }
}
