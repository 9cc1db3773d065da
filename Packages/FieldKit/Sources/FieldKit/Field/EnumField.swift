/// A field whose value is one case of an enumeration, written as its raw value.
///
/// ```swift
/// enum Color: String, CaseIterable { case red, green }
/// let color = EnumField<Color>(.red)
/// ```
///
/// An alias and not a class: a subclass would inherit only one of the two initialisers of ``Field``, the one for values
/// that can't be compared, and then tell its observers of every set.
public typealias EnumField<Content: RawRepresentable & CaseIterable & Equatable> = Field<Content>
