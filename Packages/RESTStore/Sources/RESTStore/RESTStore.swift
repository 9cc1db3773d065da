// `import RESTStore` alone brings stores, models, fields and observation.
@_exported public import StoreProtocol
