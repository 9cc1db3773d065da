// `import StoreProtocol` alone brings models, fields and observation.
@_exported public import ModelCore
