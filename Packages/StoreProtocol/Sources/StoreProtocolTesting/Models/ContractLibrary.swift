public import StoreProtocol

/// A model that is written inside others, and references them.
///
/// ```swift
/// book.author.value = author
/// ```
public final class ContractAuthor: Model {
  /// The identifier; an author has none unless it is set.
  public let id = Field<Int>()
  /// A name.
  public let name = Field<String>()
  /// Written in full.
  public let books = ModelField<ContractBook>()*

  /// The integer.
  public override var identifierField: AnyField? { id }
}

/// A model that has another one inside, which references it.
///
/// ```swift
/// let book = ContractBook()
/// book.title.value = "Emma"
/// ```
public final class ContractBook: Model {
  /// The identifier.
  public let id = Field<Int>()
  /// A title.
  public let title = Field<String>()
  /// Written in full.
  public let author = ModelField<ContractAuthor>(inverse: \.books)

  /// The integer.
  public override var identifierField: AnyField? { id }
}

/// A model with a list of others inside, which refer to it by its identifier.
///
/// ```swift
/// album.tracks.add(track)
/// ```
public final class ContractAlbum: Model {
  /// The identifier.
  public let id = Field<Int>()
  /// Written in full.
  let tracks = ModelField<ContractTrack>()*

  /// The integer.
  public override var identifierField: AnyField? { id }
}

/// A part of an album.
///
/// ```swift
/// track.album.value = album
/// ```
final class ContractTrack: Model {
  /// A title.
  let title = Field<String>()
  /// Written as an identifier.
  let album = ModelField<ContractAlbum>(foreignKey: true, inverse: \.tracks)
}

/// A model whose animals are written as their identifiers, as it is in them.
///
/// ```swift
/// keeper.animals.add(animal)
/// ```
public final class ContractKeeper: Model {
  /// The identifier.
  public let id = Field<Int>()
  /// A name.
  public let name = Field<String>()
  /// Written as identifiers.
  public let animals = ModelField<ContractAnimal>(foreignKey: true)*

  /// The integer.
  public override var identifierField: AnyField? { id }
}

/// A model that refers to its keeper, which refers to it.
///
/// ```swift
/// animal.keeper.value = keeper
/// ```
public final class ContractAnimal: Model {
  /// The identifier.
  public let id = Field<Int>()
  /// Written as an identifier.
  public let keeper = ModelField<ContractKeeper>(foreignKey: true, inverse: \.animals)

  /// The integer.
  public override var identifierField: AnyField? { id }
}
