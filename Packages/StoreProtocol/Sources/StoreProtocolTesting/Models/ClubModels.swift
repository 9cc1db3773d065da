import StoreProtocol

/// A model that is referenced by lists and several fields of others: players know their clubs, and matches both clubs.
final class Club: Model {
  /// The identifier.
  let id = Field<String>()
  /// Stored by the players.
  let players = ModelField<Player>(foreignKey: true)*
  /// Stored by the matches.
  let homeMatches = ModelField<Match>(foreignKey: true)*
  /// Stored by the matches.
  let guestMatches = ModelField<Match>(foreignKey: true)*
  /// Stored by the badge.
  let badge = ModelField<ClubBadge>(foreignKey: true)
  override var identifierField: AnyField? { id }
  override func fieldsForDictionaryValue() -> [AnyField] { [id] }
}

/// A model with a list of foreign keys.
final class Player: Model {
  /// The identifier.
  let id = Field<Int>()
  /// The age in years.
  let age = Field<Int>()
  /// Written as identifiers.
  let clubs: ModelArrayField<Club> = ModelField<Club>(foreignKey: true, inverse: \.players)*
  override var identifierField: AnyField? { id }
}

/// A model with two foreign keys to one type.
final class Match: Model {
  /// The identifier.
  let id = Field<Int>()
  /// The number of goals of both clubs.
  let goals = Field<Int>()
  /// Written as an identifier.
  let home = ModelField<Club>(foreignKey: true, inverse: \.homeMatches)
  /// Written as an identifier.
  let guest = ModelField<Club>(foreignKey: true, inverse: \.guestMatches)
  override var identifierField: AnyField? { id }
}

/// A model that a club references by a to-one relation.
final class ClubBadge: Model {
  /// The identifier.
  let id = Field<Int>()
  /// The text of the badge.
  let motto = Field<String>()
  /// Written as an identifier.
  let club = ModelField<Club>(foreignKey: true, inverse: \.badge)
  override var identifierField: AnyField? { id }
}

/// Clubs, players and matches for tests.
enum Clubs {
  /// Creates three clubs: reds with players of 20 and 40, blues with the one of 40 and one of 30, greens without
  /// players. Reds played at blues (5) and at home against greens (1). Reds have a badge with a motto, blues one
  /// without.
  static func fill(_ store: some ModelStore) async throws {
    let clubs = ["reds", "blues", "greens"].map { name in
      let club = Club()
      club.id.value = name
      return club
    }
    try await store.createAll(clubs)
    for (age, members) in [(20, [clubs[0]]), (40, [clubs[0], clubs[1]]), (30, [clubs[1]])] {
      let player = Player()
      player.age.value = age
      player.clubs.value = members
      try await store.create(player)
    }
    for (home, guest, goals) in [(1, 0, 5), (0, 2, 1)] {
      let match = Match()
      match.home.value = clubs[home]
      match.guest.value = clubs[guest]
      match.goals.value = goals
      try await store.create(match)
    }
    for (club, motto) in [(clubs[0], "ever red" as String?), (clubs[1], nil)] {
      let badge = ClubBadge()
      badge.club.value = club
      badge.motto.value = motto
      try await store.create(badge)
    }
  }
}
