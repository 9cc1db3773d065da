postfix operator *
prefix operator *

/// Returns a list field whose elements the operand describes: `let tags = Field<String>()*`.
@inlinable
public postfix func * <Element>(element: Field<Element>) -> ArrayField<Element> { ArrayField(element) }

/// Returns a list field whose elements the operand describes: `let tags = *Field<String>()`.
@inlinable
public prefix func * <Element>(element: Field<Element>) -> ArrayField<Element> { ArrayField(element) }

/// Returns whether the field has this value.
public func == <Content: Equatable>(field: Field<Content>, value: Content?) -> Bool { field.value == value }

/// Returns whether the field has this value.
public func == <Content: Equatable>(value: Content?, field: Field<Content>) -> Bool { field.value == value }

/// Returns whether two fields have equal values.
public func == <Content: Equatable>(left: Field<Content>, right: Field<Content>) -> Bool { left.value == right.value }

/// Returns whether the field has another value.
public func != <Content: Equatable>(field: Field<Content>, value: Content?) -> Bool { field.value != value }

/// Returns whether the field has another value.
public func != <Content: Equatable>(value: Content?, field: Field<Content>) -> Bool { field.value != value }

/// Returns whether two fields have different values.
public func != <Content: Equatable>(left: Field<Content>, right: Field<Content>) -> Bool { left.value != right.value }
