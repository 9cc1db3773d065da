import ModelCore
import Testing

@Suite struct `One to many` {
  private let ada = Author(name: "Ada")
  private let bob = Author(name: "Bob")
  private let books = ["A", "B", "C"].map { Book(title: $0) }

  @Test func `One to many shows a link that is set on the one side on the other side`() {
    books[0].author.value = ada
    #expect(ada.books.value == [books[0]])
    books[1].author.value = ada
    #expect(ada.books.value == [books[0], books[1]])
    books[0].author.value = nil
    #expect(ada.books.value == [books[1]])
  }

  @Test func `One to many moves a member to the model it is given to`() {
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

  @Test func `One to many adds and removes members`() {
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

  @Test func `One to many has no member twice`() {
    #expect(ada.books.add(books[0]))
    #expect(!ada.books.add(books[0]))
    books[0].author.value = ada
    #expect(ada.books.value == [books[0]])
    ada.books.value = [books[1], books[0], books[1]]
    #expect(ada.books.value == [books[1], books[0]])
    ada.books.value?.append(books[1])
    #expect(ada.books.count == 2)
  }

  @Test func `One to many takes a whole list in its order`() {
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

  @Test func `One to many keeps the order when links were made on both sides`() {
    ada.books.add(books[0])
    books[1].author.value = ada
    ada.books.add(books[2])
    #expect(ada.books.value == books)
    ada.books.value = books.reversed()
    #expect(ada.books.value == books.reversed())
    #expect(books.allSatisfy { $0.author.value === ada })
  }

  @Test func `One to many needs no identifiers, and minds none`() {
    let twins = [Book(id: 1, title: "A"), Book(id: 1, title: "A")]
    ada.books.value = twins
    #expect(ada.books.count == 2)
    #expect(ada.books.remove(twins[1]))
    #expect(ada.books.value?.first === twins[0])
  }

  @Test func `One to many swaps the lists of two models`() {
    ada.books.value = [books[0], books[1]]
    bob.books.value = [books[2]]
    let hers = ada.books.value
    ada.books.value = bob.books.value
    bob.books.value = hers
    #expect(ada.books.value == [books[2]])
    #expect(bob.books.value == [books[0], books[1]])
    #expect(books.map { $0.author.value } == [bob, bob, ada])
  }

  @Test func `One to many works alike when the inverse is declared on the list`() {
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

  @Test func `One to many works for subclasses of both models`() {
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

  @Test func `One to many takes both sides saying that they are inverse`() {
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

  @Test func `One to many is set through a field whose type is not known`() throws {
    let field: AnyField = books[0].author
    try field.set(anyValue: ada)
    #expect(ada.books.value == [books[0]])
    #expect(refusal { try field.set(anyValue: books[1]) } == .wrongType)
    #expect(books[0].author.value === ada)
    try field.set(anyValue: nil)
    #expect(ada.books.value == [])
  }

  @Test func `One to many marks both sides dirty`() {
    books[0].author.value = ada
    #expect(ada.books.isDirty)
    #expect(books[0].author.isDirty)
  }
}
