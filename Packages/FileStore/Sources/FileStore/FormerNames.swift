@_spi(ModelKitInternals) import StoreEngine

// Names of the libraries that this one follows: the compiler reports the names that are used here.

/// `FileModelStore(directory:)` keeps models in files.
@available(*, unavailable, renamed: "FileModelStore")
public typealias ArchiveModelStore = FileModelStore
