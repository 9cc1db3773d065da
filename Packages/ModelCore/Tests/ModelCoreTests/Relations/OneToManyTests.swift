import ModelCore
import Testing

@Suite struct `One to many` {
  private let ada = Author(name: "Ada")
  private let bob = Author(name: "Bob")
  private let books = ["A", "B", "C"].map { Book(title: $0) }

  @Test func `A one-to-many link set on a member is on both sides`() {
    books[0].author.value = ada
    #expect(ada.books.value == [books[0]])
    books[1].author.value = ada
    #expect(ada.books.value == [books[0], books[1]])
    books[0].author.value = nil
    #expect(ada.books.value == [books[1]])
  }

  @Test func `A member of a one-to-many relation moves to the model to which it is added`() {
    ada.books.value = books
    books[1].author.value = bob
    #expect(ada.books.value == [books[0], books[2]])
    #expect(bob.books.value == [books[1]])
    bob.books.add(books[2])
    #expect(ada.books.value == [books[0]])
    #expect(books[2].author.value === bob)
    bob.books.value = books
    #expect(ada.books.value == [])
    #expect(books.allSatisfy { $0.author.value === bob })
  }

  @Test func `A one-to-many relation adds and removes members`() {
    #expect(ada.books.add(books[0]))
    #expect(ada.books.add(books[1]))
    #expect(books[0].author.value === ada)
    #expect(ada.books.contains(books[0]))
    #expect(!ada.books.contains(books[2]))
    #expect(ada.books.count == 2)
    #expect(ada.books.remove(books[0]))
    #expect(!ada.books.remove(books[0]))
    #expect(books[0].author.value == nil)
    #expect(ada.books.value == [books[1]])
  }

  @Test func `A one-to-many relation contains a member once`() {
    #expect(ada.books.add(books[0]))
    #expect(!ada.books.add(books[0]))
    books[0].author.value = ada
    #expect(ada.books.value == [books[0]])
    ada.books.value = [books[1], books[0], books[1]]
    #expect(ada.books.value == [books[1], books[0]])
    ada.books.value?.append(books[1])
    #expect(ada.books.count == 2)
  }

  @Test func `A one-to-many relation is set to a list in its order`() {
    ada.books.value = books
    ada.books.value = books.reversed()
    #expect(ada.books.value == books.reversed())
    ada.books.value = [books[2]]
    #expect(books.map { $0.author.value } == [nil, nil, ada])
    ada.books.value?.append(books[0])
    #expect(books[0].author.value === ada)
    ada.books.value = nil
    #expect(ada.books.value == nil)
    #expect(books.allSatisfy { $0.author.value == nil })
    books[0].author.value = ada
    #expect(ada.books.value == [books[0]])
  }

  @Test func `A one-to-many relation keeps the order of links made on both sides`() {
    ada.books.add(books[0])
    books[1].author.value = ada
    ada.books.add(books[2])
    #expect(ada.books.value == books)
    ada.books.value = books.reversed()
    #expect(ada.books.value == books.reversed())
    #expect(books.allSatisfy { $0.author.value === ada })
  }

  @Test func `A one-to-many relation may contain two models with the same identifier`() {
    let twins = [Book(id: 1, title: "A"), Book(id: 1, title: "A")]
    ada.books.value = twins
    #expect(ada.books.count == 2)
    #expect(ada.books.remove(twins[1]))
    #expect(ada.books.value?.first === twins[0])
  }

  @Test func `The lists of two models can be swapped`() {
    ada.books.value = [books[0], books[1]]
    bob.books.value = [books[2]]
    let hers = ada.books.value
    ada.books.value = bob.books.value
    bob.books.value = hers
    #expect(ada.books.value == [books[2]])
    #expect(bob.books.value == [books[0], books[1]])
    #expect(books.map { $0.author.value } == [bob, bob, ada])
  }

  @Test func `A one-to-many relation works with the inverse declared on the list`() {
    let albums = [Album(), Album()]
    let tracks = [Track(), Track()]
    tracks[0].album.value = albums[0]
    #expect(albums[0].tracks.value == [tracks[0]])
    albums[1].tracks.value = tracks
    #expect(albums[0].tracks.value == [])
    #expect(tracks.allSatisfy { $0.album.value === albums[1] })
    albums[1].tracks.remove(tracks[0])
    #expect(tracks[0].album.value == nil)
  }

  @Test func `A one-to-many relation works for subclasses of both models`() {
    class Team: Model {
      let members = ModelField<Member>()*
    }
    class Member: Model {
      let team = ModelField<Team>(inverse: \.members)
      let mentor = ModelField<Team>()
    }
    final class Club: Team {
      let town = Field<String>()
    }
    final class Captain: Member {
      let rank = Field<Int>()
    }
    let club = Club()
    let captain = Captain()
    club.members.add(captain)
    #expect(captain.team.value === club)
    #expect(captain.mentor.value == nil)
    captain.team.value = nil
    #expect(club.members.value == [])
    captain.mentor.value = club
    #expect(club.members.value == [])
  }

  @Test func `A one-to-many relation works with the inverse declared on both sides`() {
    final class Ship: Model {
      let sailors: ModelArrayField<Sailor> = ModelField(inverse: \.ship)*
    }
    final class Sailor: Model {
      let ship = ModelField<Ship>(inverse: \.sailors)
    }
    let ship = Ship()
    let sailors = [Sailor(), Sailor()]
    ship.sailors.add(sailors[0])
    sailors[1].ship.value = ship
    #expect(ship.sailors.value == sailors)
    ship.sailors.value = nil
    #expect(sailors.allSatisfy { $0.ship.value == nil })
  }

  @Test func `A one-to-many relation is set through a field of unknown type`() throws {
    let field: AnyField = books[0].author
    try field.set(anyValue: ada)
    #expect(ada.books.value == [books[0]])
    #expect(refusal { try field.set(anyValue: books[1]) } == .wrongType)
    #expect(books[0].author.value === ada)
    try field.set(anyValue: nil)
    #expect(ada.books.value == [])
  }

  @Test func `A one-to-many link makes both sides dirty`() {
    books[0].author.value = ada
    #expect(ada.books.isDirty)
    #expect(books[0].author.isDirty)
  }
}
