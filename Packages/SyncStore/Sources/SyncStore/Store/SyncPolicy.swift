public import StoreProtocol

/// A choice about the records of one type.
///
/// ```swift
/// store.policy(Book.self, .refresh(after: .seconds(60)), .keep(where: { $0.year > 2000 }))
/// ```
public struct SyncPolicy<M: Model> {
  enum Kind {
    case refresh(Duration)
    case keep((ModelColumns<M>) -> QueryExpression)
  }

  let kind: Kind

  /// Reads the server's records again, in the background, once the last reading is this long ago.
  public static func refresh(after interval: Duration) -> SyncPolicy { SyncPolicy(kind: .refresh(interval)) }

  /// Keeps only the records locally for which a condition holds, and those with local changes.
  public static func keep(where condition: @escaping (ModelColumns<M>) -> QueryExpression) -> SyncPolicy {
    SyncPolicy(kind: .keep(condition))
  }
}

/// The choices about a type, without its class.
struct TypePolicy {
  /// The milliseconds after which its records are read again; nil for the default.
  var refreshInterval: Int?
  /// The condition of the records that are kept; nil for all.
  var kept: QueryExpression?
}
