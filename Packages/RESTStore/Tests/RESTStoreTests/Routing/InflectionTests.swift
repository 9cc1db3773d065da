import RESTStore
import Testing

@Suite struct `An inflection` {
  @Test(arguments: [
    ("dog", "dogs"), ("Entity", "Entities"), ("Thing", "Things"), ("key", "keys"), ("soliloquy", "soliloquies"),
    ("box", "boxes"), ("church", "churches"), ("wish", "wishes"), ("class", "classes"), ("Address", "Addresses"),
    ("status", "statuses"), ("Status", "Statuses"), ("alias", "aliases"), ("bus", "buses"), ("virus", "viruses"),
    ("quiz", "quizzes"), ("Quiz", "Quizzes"), ("waltz", "waltzes"), ("analysis", "analyses"), ("crisis", "crises"),
    ("axis", "axes"), ("matrix", "matrices"), ("Vertex", "Vertices"), ("index", "indices"), ("complex", "complexes"),
    ("half", "halves"), ("shelf", "shelves"), ("knife", "knives"), ("wharf", "wharves"), ("leaf", "leaves"),
    ("chief", "chiefs"), ("safe", "safes"), ("hive", "hives"), ("potato", "potatoes"), ("photo", "photos"),
    ("hero", "heroes"), ("datum", "data"), ("criterion", "criteria"), ("album", "albums"), ("lens", "lenses"),
    ("movie", "movies"), ("cache", "caches"), ("stomach", "stomachs"), ("house", "houses"),
  ])
  func `An inflection follows the rules of English`(singular: String, plural: String) {
    #expect(Inflection.english.plural(of: singular) == plural)
  }

  @Test(arguments: [
    ("person", "people"), ("Person", "People"), ("PERSON", "PEOPLE"), ("Child", "Children"), ("Man", "Men"),
    ("Mouse", "Mice"), ("ox", "oxen"), ("goose", "geese"), ("tooth", "teeth"), ("Louse", "Lice"),
  ])
  func `An inflection has irregular nouns in any case`(singular: String, plural: String) {
    #expect(Inflection.english.plural(of: singular) == plural)
  }

  @Test(arguments: [
    ("SalesPerson", "SalesPeople"), ("dog person", "dog people"), ("sales_person", "sales_people"),
    ("salesperson", "salespeople"), ("woman", "women"), ("FireMan", "FireMen"), ("fireman", "firemen"),
    ("GrandChild", "GrandChildren"), ("ComputerMouse", "ComputerMice"), ("HTTPRequest", "HTTPRequests"),
    ("HTTPStatus", "HTTPStatuses"), ("widgetID", "widgetIDs"), ("URL", "URLs"), ("box2Child", "box2Children"),
  ])
  func `An inflection changes the last of several words`(singular: String, plural: String) {
    #expect(Inflection.english.plural(of: singular) == plural)
  }

  @Test(arguments: [
    "human", "German", "talisman", "fox", "blouse", "mongoose", "Roman",
  ])
  func `An inflection is not misled by an irregular noun at the end of another word`(singular: String) {
    let plural = singular == "fox" ? "foxes" : singular + "s"
    #expect(Inflection.english.plural(of: singular) == plural)
  }

  @Test(arguments: [
    "people", "Children", "news", "Series", "sheep", "equipment", "settings", "widgetIDs", "data", "statuses",
    "indices",
    "",
  ])
  func `An inflection does not change a noun that is a plural already`(word: String) {
    #expect(Inflection.english.plural(of: word) == word)
  }

  @Test func `An inflection prefers rules that were added later`() {
    var inflection = Inflection.english
    inflection.addIrregular("cow", plural: "kine")
    inflection.addSuffix("us", replacement: "i")
    inflection.addUncountable("Dog")
    #expect(inflection.plural(of: "Cow") == "Kine")
    #expect(inflection.plural(of: "octopus") == "octopi")
    #expect(inflection.plural(of: "dog") == "dog")
    #expect(Inflection.english.plural(of: "cow") == "cows")
  }

  @Test(arguments: [
    ("dog", "dogs"), ("Entity", "Entities"), ("key", "keys"), ("box", "boxes"), ("church", "churches"),
    ("class", "classes"), ("Address", "Addresses"), ("status", "statuses"), ("alias", "aliases"), ("bus", "buses"),
    ("Quiz", "Quizzes"), ("analysis", "analyses"), ("crisis", "crises"), ("hypothesis", "hypotheses"),
    ("axis", "axes"), ("matrix", "matrices"), ("index", "indices"), ("half", "halves"), ("valve", "valves"),
    ("shelf", "shelves"), ("leaf", "leaves"), ("potato", "potatoes"), ("photo", "photos"), ("movie", "movies"),
    ("cache", "caches"), ("house", "houses"), ("case", "cases"), ("cause", "causes"), ("size", "sizes"),
    ("Person", "People"), ("SalesPerson", "SalesPeople"), ("human", "humans"),
    ("sales_person", "sales_people"), ("HTTPStatus", "HTTPStatuses"), ("news", "news"), ("series", "series"),
  ])
  func `The singular of a plural is the noun, and that of a singular is itself`(singular: String, plural: String) {
    #expect(Inflection.english.singular(of: plural) == singular)
    #expect(Inflection.english.singular(of: singular) == singular)
    #expect(Inflection.english.plural(of: singular) == plural)
  }

  @Test(arguments: [
    ("man", "men"), ("woman", "women"), ("Woman", "Women"), ("fireman", "firemen"), ("sales_woman", "sales_women"),
    ("salesperson", "salespeople"), ("grandchild", "grandchildren"), ("forefoot", "forefeet"), ("eyetooth", "eyeteeth"),
    ("human", "humans"), ("specimen", "specimens"), ("Omen", "Omens"), ("regimen", "regimens"),
    ("submatrix", "submatrices"), ("multimedium", "multimedia"),
  ])
  func `A compound has the irregular plural of its last noun, whose singular is the compound`(
    singular: String, plural: String
  ) {
    let english = Inflection.english
    #expect(english.plural(of: singular) == plural)
    #expect(english.plural(of: plural) == plural)
    #expect(english.singular(of: plural) == singular)
    #expect(english.singular(of: singular) == singular)
  }

  @Test func `A custom rule applies to singulars, too`() {
    var inflection = Inflection.english
    inflection.addIrregular("cow", plural: "kine")
    #expect(inflection.singular(of: "Kine") == "Cow")
    #expect(Inflection().singular(of: "dogs") == "dogs")
  }
}
