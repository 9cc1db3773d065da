// Names from the libraries that this one follows: the compiler suggests the names used here.

/// `RESTModelStore(baseURL:dialect:router:)` keeps models on a server. Previous overrides are hooks of a ``RESTDialect``.
@available(*, unavailable, renamed: "RESTModelStore")
public typealias RemoteModelStore = RESTModelStore
