// `import ModelCore` alone brings fields, rules, transformers and observation.
@_exported public import FieldKit
