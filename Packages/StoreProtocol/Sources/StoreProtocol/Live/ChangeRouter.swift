@_spi(ModelKitInternals) import ModelCore

/// The interest of a consumer in one type.
struct FeedInterest: Sendable {
  let typeName: String
  /// The topmost keys that matter; nil for all.
  var keys: Set<String>?
  /// The values that a record must have before or after the change to be relevant.
  var guarding: RelevanceFilter?
  /// Whether any change of a registered member record is relevant.
  var hasMembers = false
}

/// The route of changes of one type to one consumer.
struct FeedRoute: Sendable {
  let id: Int
  let mailbox: FeedMailbox
  /// A bit for each key that matters.
  let keys: UInt64
  let hasMembers: Bool
}

/// Routes changes to consumers. A consumer for which a change is irrelevant is not visited, as far as possible.
struct ChangeRouter: Sendable {
  /// The consumers of the changes of one type.
  private struct TypeRoutes: Sendable {
    /// The bits of keys. Keys beyond the number of bits share the last one.
    var bits: [String: UInt64] = [:]
    var plain: [FeedRoute] = []
    var guarded: [StoredKeyPath: GuardGroup] = [:]
    /// The consumers that show a record.
    private(set) var members: [ExactText: [Int]] = [:]
    /// The records that each consumer shows.
    private var shown: [Int: Set<ExactText>] = [:]
    /// The consumers that are listing: every change is relevant to them.
    var loading: Set<Int> = []

    mutating func mask(_ keys: Set<String>?) -> UInt64 {
      guard let keys else { return .max }
      var mask: UInt64 = 0
      for key in keys {
        let bit = bits[key] ?? 1 << UInt64(min(bits.count, 63))
        bits[key] = bit
        mask |= bit
      }
      return mask
    }

    mutating func show(_ identifier: ExactText, _ id: Int) {
      if shown[id, default: []].insert(identifier).inserted { members[identifier, default: []].append(id) }
    }

    mutating func hide(_ identifier: ExactText, _ id: Int) {
      if shown[id]?.remove(identifier) == nil { return }
      members[identifier]?.removeAll { $0 == id }
      if members[identifier]?.isEmpty == true { members[identifier] = nil }
    }

    /// Removes a consumer.
    mutating func remove(_ interests: [FeedInterest], of id: Int) {
      plain.removeAll { $0.id == id }
      for guarding in interests.compactMap(\.guarding) {
        guarded[guarding.path]?.remove(guarding, id)
        if guarded[guarding.path]?.isEmpty == true { guarded[guarding.path] = nil }
      }
      for identifier in shown[id] ?? [] { hide(identifier, id) }
      shown[id] = nil
      loading.remove(id)
    }

    /// Whether there is no consumer.
    var isEmpty: Bool { plain.isEmpty && guarded.isEmpty }
  }

  /// The changes for each consumer of one batch.
  struct Delivery {
    fileprivate var parts: [Int: (mailbox: FeedMailbox, batch: [RoutedChange])] = [:]
    fileprivate var order: [Int] = []
    fileprivate var number = 0
    fileprivate var lastNumbers: [Int: Int] = [:]

    fileprivate mutating func add(_ change: RoutedChange, to route: FeedRoute) {
      guard lastNumbers.updateValue(number, forKey: route.id) != number else { return }
      if parts[route.id] == nil {
        parts[route.id] = (route.mailbox, [])
        order.append(route.id)
      }
      parts[route.id]?.batch.append(change)
    }
  }

  private var types: [String: TypeRoutes] = [:]
  private var interests: [Int: (mailbox: FeedMailbox, interests: [FeedInterest])] = [:]
  private var nextID = 0
  /// The number of notifications of consumers, for tests.
  private(set) var deliveries = 0

  // MARK: Consumers

  mutating func add(_ mailbox: FeedMailbox, _ list: [FeedInterest]) -> Int {
    nextID += 1
    interests[nextID] = (mailbox, list)
    for interest in list { enter(interest, nextID, mailbox) }
    return nextID
  }

  private mutating func enter(_ interest: FeedInterest, _ id: Int, _ mailbox: FeedMailbox) {
    var routes = types.removeValue(forKey: interest.typeName) ?? TypeRoutes()
    let route = FeedRoute(
      id: id, mailbox: mailbox, keys: routes.mask(interest.keys), hasMembers: interest.hasMembers)
    if let guarding = interest.guarding {
      routes.guarded[guarding.path, default: GuardGroup()].add(guarding, route)
    } else {
      routes.plain.append(route)
    }
    types[interest.typeName] = routes
  }

  mutating func remove(_ id: Int) -> FeedMailbox? {
    guard let (mailbox, gone) = interests.removeValue(forKey: id) else { return nil }
    for (type, interests) in Dictionary(grouping: gone, by: \.typeName) {
      types[type]?.remove(interests, of: id)
      if types[type]?.isEmpty == true { types[type] = nil }
    }
    return mailbox
  }

  /// Returns whether a consumer is interested in a type.
  func isObserved(_ typeName: String) -> Bool { types[typeName] != nil }

  var mailboxes: [FeedMailbox] { interests.values.map(\.mailbox) }

  mutating func setLoading(_ id: Int, _ type: String, _ isLoading: Bool) {
    if isLoading { types[type]?.loading.insert(id) } else { types[type]?.loading.remove(id) }
  }

  mutating func changeMembers(_ id: Int, _ type: String, adding: [String], removing: [String]) {
    guard interests[id] != nil, var routes = types.removeValue(forKey: type) else { return }
    for identifier in removing { routes.hide(ExactText(identifier), id) }
    for identifier in adding { routes.show(ExactText(identifier), id) }
    types[type] = routes
  }

  // MARK: Changes

  func route(_ batch: [RecordChange], _ position: UInt64, _ delivery: inout Delivery) {
    for change in batch {
      guard let routes = types[change.typeName] else { continue }
      delivery.number += 1
      route(change, position, routes, &delivery)
    }
  }

  private func route(
    _ change: RecordChange, _ position: UInt64, _ routes: TypeRoutes, _ delivery: inout Delivery
  ) {
    let keys = Self.keys(of: change)
    let routed = RoutedChange(change: change, keys: keys, position: position)
    let touched = Self.mask(keys, change, routes)
    let members = routes.members[ExactText(change.identifier)]
    func offer(_ route: FeedRoute) {
      let isConcerned =
        change.kind != .updated || route.keys & touched != 0
        || (touched == 0 && route.keys == .max && !route.hasMembers)
        || members?.contains(route.id) == true
        || (!routes.loading.isEmpty && routes.loading.contains(route.id))
      if isConcerned { delivery.add(routed, to: route) }
    }
    for route in routes.plain { offer(route) }
    // Consumers that show a record are notified even if their guard rejects the new values. They may not have processed
    // the previous change yet, and would show the record again.
    for id in members ?? [] {
      guard let mailbox = interests[id]?.mailbox else { continue }
      delivery.add(routed, to: FeedRoute(id: id, mailbox: mailbox, keys: .max, hasMembers: true))
    }
    for (path, group) in routes.guarded {
      let isKnown =
        (change.kind == .created || change.before != nil) && (change.kind == .deleted || change.after != nil)
      guard isKnown else {
        group.forEach(offer)
        continue
      }
      let before = change.before.map { path.key(in: $0) }, after = change.after.map { path.key(in: $0) }
      if let before { group.forEach(passing: before, offer) }
      if let after, after != before { group.forEach(passing: after, offer) }
    }
  }

  private static func keys(of change: RecordChange) -> [String]? {
    if let keys = change.keys { return keys }
    guard change.kind == .updated, let before = change.before, let after = change.after else { return nil }
    return RecordDifference.keys(before, after)
  }

  private static func mask(_ keys: [String]?, _ change: RecordChange, _ routes: TypeRoutes) -> UInt64 {
    guard change.kind == .updated, let keys else { return .max }
    var mask: UInt64 = 0
    // A key that no consumer named is relevant only to those that want all.
    for key in keys { mask |= routes.bits[key] ?? 1 << 63 }
    return mask
  }

  /// Adds the changes to the mailboxes. Returns the tasks to resume once no lock is held.
  mutating func hand(_ delivery: Delivery) -> [CheckedContinuation<Void, Never>] {
    var woken: [CheckedContinuation<Void, Never>] = []
    for id in delivery.order {
      guard let (mailbox, batch) = delivery.parts[id] else { continue }
      deliveries += 1
      woken += mailbox.put(batch)
    }
    return woken
  }
}
