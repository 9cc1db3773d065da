#if Postgres
  @_spi(ModelKitInternals) import StoreProtocol

  /// The type of an expression, to which the parameters that it is compared with are converted.
  enum SQLForm: Equatable {
    case text, number, integer, double, bool, uuid
    /// Days of the server's type.
    case day
    /// Times with a time zone, to the microsecond.
    case moment
    /// Times in UTC without a time zone, to the microsecond.
    case localMoment

    /// Returns whether values of both are compared without a conversion.
    func isComparable(to other: SQLForm) -> Bool {
      let numbers: [SQLForm] = [.number, .integer]
      return self == other || (numbers.contains(self) && numbers.contains(other))
    }

    /// Returns the text of a parameter, and whether it is less than the operand, which no value equals then.
    func operand(_ text: String) -> (text: String, isRounded: Bool) {
      guard self == .moment || self == .localMoment else { return (text, false) }
      guard let point = text.lastIndex(of: ".") else { return (text + "Z", false) }
      let digits = text[point...].dropFirst()
      let rest = digits.dropFirst(6)
      return (text[..<point] + "." + digits.prefix(6) + "Z", rest.contains { $0 != "0" })
    }

    private func type(_ texts: [String]) -> String {
      switch self {
      case .text: "text"
      case .number: "numeric"
      // An index of integers answers nothing about other numbers.
      case .integer: texts.allSatisfy { Int64($0) != nil } ? "bigint" : "numeric"
      case .double: "double precision"
      case .bool: "boolean"
      case .uuid: "uuid"
      case .day: "date"
      case .moment, .localMoment: "timestamptz"
      }
    }

    /// Returns the expression for an operand.
    ///
    /// - Parameters:
    ///   - parameter: the parameter, which is text.
    ///   - text: the text.
    func value(_ parameter: String, _ text: String) -> String {
      if self == .text { return parameter }
      let value = "\(parameter)::\(type([text]))"
      return self == .localMoment ? "(\(value) AT TIME ZONE 'UTC')" : value
    }

    /// Returns the expression for a list of operands.
    func list(_ parameter: String, _ texts: [String]) -> String {
      let list = "\(parameter)::text[]::\(type(texts))[]"
      return self == .localMoment ? "ARRAY(SELECT e.v AT TIME ZONE 'UTC' FROM unnest(\(list)) AS e (v))" : list
    }
  }

  extension QueryComparison.Operator {
    /// Returns the operator for an operand that may be less than the one that is meant.
    func symbol(isRounded: Bool) -> String {
      if !isRounded { return rawValue }
      return self == .less || self == .lessOrEqual ? "<=" : ">"
    }
  }
#endif
