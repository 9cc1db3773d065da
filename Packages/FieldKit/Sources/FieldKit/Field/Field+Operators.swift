postfix operator *
prefix operator *

/// Makes a list of what the field describes: `let tags = Field<String>()*`.
public postfix func * <Element>(element: Field<Element>) -> ArrayField<Element> { ArrayField(element) }

/// Makes a list of what the field describes: `let tags = *Field<String>()`.
public prefix func * <Element>(element: Field<Element>) -> ArrayField<Element> { ArrayField(element) }

/// Whether the field has this value.
public func == <Content: Equatable>(field: Field<Content>, value: Content?) -> Bool { field.value == value }

/// Whether the field has this value.
public func == <Content: Equatable>(value: Content?, field: Field<Content>) -> Bool { field.value == value }

/// Whether two fields have equal values.
public func == <Content: Equatable>(left: Field<Content>, right: Field<Content>) -> Bool { left.value == right.value }

/// Whether the field has another value.
public func != <Content: Equatable>(field: Field<Content>, value: Content?) -> Bool { field.value != value }

/// Whether the field has another value.
public func != <Content: Equatable>(value: Content?, field: Field<Content>) -> Bool { field.value != value }

/// Whether two fields have different values.
public func != <Content: Equatable>(left: Field<Content>, right: Field<Content>) -> Bool { left.value != right.value }
