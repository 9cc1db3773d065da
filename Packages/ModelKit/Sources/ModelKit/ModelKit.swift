// The umbrella: one import for observation, fields, models and all stores.
@_exported public import FileStore
@_exported public import MemoryStore
@_exported public import RESTStore
