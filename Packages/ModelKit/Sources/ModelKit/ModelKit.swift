// The umbrella: one import for observation, fields, models, all stores and schemas.
@_exported public import FileStore
@_exported public import MemoryStore
@_exported public import RESTStore
@_exported public import SchemaKit
@_exported public import SyncStore
