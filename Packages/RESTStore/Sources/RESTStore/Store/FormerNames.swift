// What the libraries that this one follows called things: the compiler says what they are called here.

/// `RESTModelStore(baseURL:dialect:router:)` keeps models on a server; what was overridden is in a ``RESTDialect``.
@available(*, unavailable, renamed: "RESTModelStore")
public typealias RemoteModelStore = RESTModelStore
