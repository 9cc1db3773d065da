// A client of SchemaKit needs models as well.
@_exported public import ModelCore
