// Whoever imports SchemaKit has models as well.
@_exported public import ModelCore
