extension Field {
  /// Creates the field of a property with `@Field` that has an initial value, such as `@Field var age: Int? = 18`.
  ///
  /// - Parameters:
  ///   - wrappedValue: the first value. A field with one counts as loaded.
  ///   - rules: the rules, in the order in which they are checked.
  ///   - name: the name for people.
  ///   - key: the key in dictionaries and JSON; dots reach into nested objects. Default: the property's name.
  ///   - priority: the position in a form.
  ///   - sensitive: whether the value is kept out of errors, messages and descriptions.
  ///   - configure: completes the declaration, such as with a domain or a transformer.
  @inlinable @inline(__always)
  public convenience init(
    wrappedValue: Content?, _ rules: Rule<Content>..., name: String? = nil, key: String? = nil, priority: Int? = nil,
    sensitive: Bool = false, configure: ((Field) -> Void)? = nil
  ) {
    self.init(wrappedValue, name: name, key: key, priority: priority, sensitive: sensitive)
    for rule in rules { require(rule) }
    configure?(self)
  }

  /// Creates the field of a property with `@Field` that has an initial value and comparable values.
  ///
  /// - Parameters:
  ///   - wrappedValue: the first value. A field with one counts as loaded.
  ///   - rules: the rules, in the order in which they are checked.
  ///   - name: the name for people.
  ///   - key: the key in dictionaries and JSON; dots reach into nested objects. Default: the property's name.
  ///   - priority: the position in a form.
  ///   - sensitive: whether the value is kept out of errors, messages and descriptions.
  ///   - configure: completes the declaration, such as with a domain or a transformer.
  @inlinable @inline(__always)
  public convenience init(
    wrappedValue: Content?, _ rules: Rule<Content>..., name: String? = nil, key: String? = nil, priority: Int? = nil,
    sensitive: Bool = false, configure: ((Field) -> Void)? = nil
  ) where Content: Equatable {
    self.init(wrappedValue, name: name, key: key, priority: priority, sensitive: sensitive)
    for rule in rules { require(rule) }
    configure?(self)
  }

  /// Creates the field of a property with `@Field`, with rules: `@Field(.range(1...5), key: "stars") var rating: Int?`.
  ///
  /// - Parameters:
  ///   - rule: the first rule.
  ///   - rules: more rules, in the order in which they are checked.
  ///   - name: the name for people.
  ///   - key: the key in dictionaries and JSON; dots reach into nested objects. Default: the property's name.
  ///   - priority: the position in a form.
  ///   - sensitive: whether the value is kept out of errors, messages and descriptions.
  ///   - configure: completes the declaration, such as with a domain or a transformer.
  @inlinable @inline(__always)
  public convenience init(
    _ rule: Rule<Content>, _ rules: Rule<Content>..., name: String? = nil, key: String? = nil, priority: Int? = nil,
    sensitive: Bool = false, configure: ((Field) -> Void)? = nil
  ) {
    self.init(nil, name: name, key: key, priority: priority, sensitive: sensitive)
    require(rule)
    for rule in rules { require(rule) }
    configure?(self)
  }

  /// Creates the field of a property with `@Field` that has comparable values, with rules.
  ///
  /// - Parameters:
  ///   - rule: the first rule.
  ///   - rules: more rules, in the order in which they are checked.
  ///   - name: the name for people.
  ///   - key: the key in dictionaries and JSON; dots reach into nested objects. Default: the property's name.
  ///   - priority: the position in a form.
  ///   - sensitive: whether the value is kept out of errors, messages and descriptions.
  ///   - configure: completes the declaration, such as with a domain or a transformer.
  @inlinable @inline(__always)
  public convenience init(
    _ rule: Rule<Content>, _ rules: Rule<Content>..., name: String? = nil, key: String? = nil, priority: Int? = nil,
    sensitive: Bool = false, configure: ((Field) -> Void)? = nil
  ) where Content: Equatable {
    self.init(nil, name: name, key: key, priority: priority, sensitive: sensitive)
    require(rule)
    for rule in rules { require(rule) }
    configure?(self)
  }

  /// Creates the field of a property with `@Field` whose declaration needs a domain or a transformer.
  ///
  /// ```swift
  /// final class Journey: Model {
  ///   @Field(configure: { $0.transform(with: .date(format: "yyyy-MM-dd")) })
  ///   var day: Date?
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - name: the name for people.
  ///   - key: the key in dictionaries and JSON; dots reach into nested objects. Default: the property's name.
  ///   - priority: the position in a form.
  ///   - sensitive: whether the value is kept out of errors, messages and descriptions.
  ///   - configure: completes the declaration, such as with a domain or a transformer.
  @inlinable @inline(__always)
  public convenience init(
    name: String? = nil, key: String? = nil, priority: Int? = nil, sensitive: Bool = false,
    configure: (Field) -> Void
  ) {
    self.init(nil, name: name, key: key, priority: priority, sensitive: sensitive)
    configure(self)
  }

  /// Creates the field of a property with `@Field` that has comparable values, and whose declaration needs a domain or
  /// a transformer.
  ///
  /// - Parameters:
  ///   - name: the name for people.
  ///   - key: the key in dictionaries and JSON; dots reach into nested objects. Default: the property's name.
  ///   - priority: the position in a form.
  ///   - sensitive: whether the value is kept out of errors, messages and descriptions.
  ///   - configure: completes the declaration, such as with a domain or a transformer.
  @inlinable @inline(__always)
  public convenience init(
    name: String? = nil, key: String? = nil, priority: Int? = nil, sensitive: Bool = false,
    configure: (Field) -> Void
  ) where Content: Equatable {
    self.init(nil, name: name, key: key, priority: priority, sensitive: sensitive)
    configure(self)
  }
}
