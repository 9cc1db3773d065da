/// A field whose value is one case of an enumeration, written as its raw value.
///
/// ```swift
/// enum Color: String, CaseIterable { case red, green }
/// let color = EnumField<Color>(.red)
/// ```
///
/// An alias and not a class: a subclass would inherit only the initialiser of ``Field`` for values that can't be
/// compared. It would then notify its observers of every set.
public typealias EnumField<Content: RawRepresentable & CaseIterable & Equatable> = Field<Content>
