/// The members of a list that holds some of them weakly, or from which many are being removed.
///
/// Members have fixed indices, so that a search or removal takes constant time.
struct MemberTable<Related: AnyObject> {
  /// A member that is retained by this side, or held weakly because the link was set on the inverse. A removed one is
  /// neither.
  struct Link {
    let retained: Related?
    private(set) weak var seen: Related?

    init(retaining model: Related?) { retained = model }

    init(seeing model: Related) {
      retained = nil
      seen = model
    }

    var model: Related? { retained ?? seen }
  }

  private var links: [Link]
  private var holes = 0
  private var hasLostMembers = false
  /// The number of weak links, those of deallocated members included. Zero means that all members are retained.
  private var weakCount = 0
  /// The indices of the members, created once the list is long enough. The address of a deallocated member may be
  /// reused.
  private var places: [ObjectIdentifier: Int]?

  init(_ links: [Link], weakCount: Int) {
    self.links = links
    self.weakCount = weakCount
  }

  init(retaining models: [Related]) { self.init(models.map { Link(retaining: $0) }, weakCount: 0) }

  /// The number of links, those of deallocated models included.
  var count: Int { links.count - holes }

  var retainsAll: Bool { weakCount == 0 }

  /// Whether a member that is held weakly was deallocated.
  var hasReleasedMembers: Bool { weakCount > 0 && links.count { $0.model != nil } < count }

  var retained: [Related] { links.compactMap(\.retained) }

  var weaklySeen: Set<ObjectIdentifier> {
    guard weakCount > 0 else { return [] }
    return Set(links.compactMap { $0.retained == nil ? $0.seen.map(ObjectIdentifier.init) : nil })
  }

  /// The members that are not deallocated.
  var models: [Related] {
    var models: [Related] = []
    models.reserveCapacity(count)
    for index in links.indices {
      if let model = links[index].model { models.append(model) }
    }
    return models
  }

  mutating func append(_ model: Related, isRetained: Bool) {
    places?[ObjectIdentifier(model)] = links.count
    links.append(isRetained ? Link(retaining: model) : Link(seeing: model))
    if !isRetained { weakCount += 1 }
  }

  mutating func contains(_ model: AnyObject) -> Bool { place(of: model) != nil }

  mutating func retains(_ model: AnyObject) -> Bool { place(of: model).map { links[$0].retained != nil } ?? false }

  /// Makes a link weak, because the inverse retains the member.
  mutating func see(_ model: Related) {
    guard let place = place(of: model), links[place].retained != nil else { return }
    links[place] = Link(seeing: model)
    weakCount += 1
  }

  /// The members that are held weakly.
  var weakMembers: [Related] {
    weakCount == 0 ? [] : links.compactMap { $0.retained == nil ? $0.seen : nil }
  }

  /// Retains a member, because its inverse holds the model of this side weakly.
  mutating func retain(_ model: Related) {
    guard let place = place(of: model), links[place].retained == nil else { return }
    links[place] = Link(retaining: model)
    weakCount -= 1
  }

  /// Returns the same members in another order.
  func reordered(as models: [Related]) -> MemberTable {
    let seen = weaklySeen
    var table = MemberTable(retaining: [])
    for model in models { table.append(model, isRetained: !seen.contains(ObjectIdentifier(model))) }
    return table
  }

  mutating func remove(_ model: AnyObject) {
    guard let place = place(of: model) else { return }
    if links[place].retained == nil { weakCount -= 1 }
    places?[ObjectIdentifier(model)] = nil
    if place == links.count - 1 {
      links.removeLast()
      return
    }
    links[place] = Link(retaining: nil)
    holes += 1
    if holes > 32, holes > links.count / 2 { close(count: count) }
  }

  /// Removes the links of deallocated members.
  ///
  /// - Parameter count: the number of live members.
  /// - Returns: whether any member was deallocated without being removed since the last call.
  mutating func prune(to count: Int) -> Bool {
    if count < self.count || holes > links.count / 4 { close(count: count) }
    defer { hasLostMembers = false }
    return hasLostMembers
  }

  private mutating func close(count: Int) {
    var kept: [Link] = []
    kept.reserveCapacity(count)
    weakCount = 0
    for link in links {
      guard link.model != nil else { continue }
      kept.append(link)
      if link.retained == nil { weakCount += 1 }
    }
    if kept.count < self.count { hasLostMembers = true }
    links = kept
    holes = 0
    places = nil
  }

  private mutating func place(of model: AnyObject) -> Int? {
    guard links.count > 32 else { return links.firstIndex { $0.model === model } }
    if places == nil {
      var places: [ObjectIdentifier: Int] = [:]
      places.reserveCapacity(links.count)
      for index in links.indices {
        if let model = links[index].model { places[ObjectIdentifier(model)] = index }
      }
      self.places = places
    }
    // The address may have been that of a deallocated member.
    guard let place = places?[ObjectIdentifier(model)], links[place].model === model else { return nil }
    return place
  }
}
