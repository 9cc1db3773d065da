@_spi(ModelKitInternals) import StoreEngine

// What the libraries that this one follows called things: the compiler says what they are called here.

/// `FileModelStore(directory:)` keeps models in files.
@available(*, unavailable, renamed: "FileModelStore")
public typealias ArchiveModelStore = FileModelStore
