import FileStore

/// Players are kept with the clubs they are in, and matches with the clubs that play.
final class Club: Model {
  let id = Field<String>()
  let players = ModelField<Player>(foreignKey: true)*
  let homeMatches = ModelField<Match>(foreignKey: true)*
  let guestMatches = ModelField<Match>(foreignKey: true)*
  let badge = ModelField<ClubBadge>(foreignKey: true)
  override var identifierField: AnyField? { id }
  override func fieldsForDictionaryValue() -> [AnyField] { [id] }
}

final class Player: Model {
  let id = Field<Int>()
  let age = Field<Int>()
  let clubs: ModelArrayField<Club> = ModelField<Club>(foreignKey: true, inverse: \.players)*
  override var identifierField: AnyField? { id }
}

final class Match: Model {
  let id = Field<Int>()
  let goals = Field<Int>()
  let home = ModelField<Club>(foreignKey: true, inverse: \.homeMatches)
  let guest = ModelField<Club>(foreignKey: true, inverse: \.guestMatches)
  override var identifierField: AnyField? { id }
}

final class ClubBadge: Model {
  let id = Field<Int>()
  let motto = Field<String>()
  let club = ModelField<Club>(foreignKey: true, inverse: \.badge)
  override var identifierField: AnyField? { id }
}

enum Clubs {
  /// Three clubs: reds with players of 20 and 40, blues with the one of 40 and one of 30, greens without players. Reds played at
  /// blues (5) and at home against greens (1). Reds have a badge with a motto, blues one without.
  static func fill(_ store: FileModelStore) async throws {
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
