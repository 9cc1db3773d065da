extension Inflection {
  /// The plurals of English, with the common irregular ones.
  ///
  /// A word that already looks like a plural (`settings`, `ids`) is unchanged.
  public static let english: Inflection = {
    var english = Inflection()
    // The most general rule first: later ones take precedence.
    english.addSuffix("", replacement: "s")
    english.addSuffix("s", replacement: "s")
    english.addSuffix("sis", replacement: "ses")
    // Rules that are the same for plurals, and distinguish singulars: `houses` and `statuses`, `analyses` and `cases`.
    english.addSuffix("se", replacement: "ses")
    for ending in ["x", "z", "ch", "sh", "ss", "us", "lens", "gas", "bias", "alias", "atlas", "canvas", "iris"] {
      english.addSuffix(ending, replacement: ending + "es")
    }
    english.addSuffix("iz", replacement: "izzes")
    for ending in ["ysis", "thesis", "crisis", "gnosis", "nopsis", "mphasis", "oasis"] {
      english.addSuffix(ending, replacement: ending.dropLast(2) + "es")
    }
    english.addSuffix("y", replacement: "ies", notAfter: "aeiou")
    english.addSuffix("quy", replacement: "quies")
    for (ending, plural) in [
      "elf": "elves", "alf": "alves", "arf": "arves", "eaf": "eaves", "loaf": "loaves", "wolf": "wolves",
      "thief": "thieves", "knife": "knives", "wife": "wives", "life": "lives",
    ] {
      english.addSuffix(ending, replacement: plural)
    }
    for ending in [
      "ouse", "ause", "fuse", "xcuse", "aze", "eze", "cache", "ache", "iche", "movie", "cookie", "zombie", "calorie",
      "valve",
      "sleeve",
    ] { english.addSuffix(ending, replacement: ending + "s") }
    for word in ["use", "muse", "pie", "tie"] { english.addIrregular(word, plural: word + "s") }
    for word in ["stomach", "monarch", "epoch", "matriarch", "patriarch"] {
      english.addIrregular(word, plural: word + "s")
    }
    for word in ["buffalo", "echo", "embargo", "hero", "potato", "tomato", "torpedo", "veto"] {
      english.addIrregular(word, plural: word + "es")
    }
    for word in ["menus", "gurus"] { english.addUncountable(word) }
    addLatin(to: &english)
    for (singular, plural) in [
      "person": "people", "child": "children", "man": "men", "foot": "feet", "tooth": "teeth",
    ] {
      english.addIrregular(singular, plural: plural, inCompounds: true)
    }
    for (singular, plural) in [
      "ox": "oxen", "mouse": "mice", "dormouse": "dormice", "louse": "lice", "goose": "geese", "die": "dice",
      "axis": "axes", "testis": "testes",
    ] {
      english.addIrregular(singular, plural: plural)
    }
    for word in ["human", "german", "norman", "ottoman", "roman", "shaman", "talisman"] {
      english.addIrregular(word, plural: word + "s")
    }
    // No plurals of words that end with `man`.
    for word in [
      "abdomen", "acumen", "albumen", "bitumen", "cyclamen", "dolmen", "examen", "gravamen", "lumen", "numen", "omen",
      "regimen", "rumen", "specimen", "stamen",
    ] { english.addIrregular(word, plural: word + "s") }
    for word in [
      "bluetooth", "chassis", "deer", "equipment", "feedback", "firmware", "fish", "hardware", "information",
      "metadata",
      "money", "news", "police", "rice", "series", "sheep", "software", "species", "traffic",
    ] {
      english.addUncountable(word)
    }
    return english
  }()

  private static func addLatin(to english: inout Inflection) {
    for (singular, plural) in [
      "datum": "data", "medium": "media", "bacterium": "bacteria", "curriculum": "curricula", "addendum": "addenda",
      "memorandum": "memoranda", "erratum": "errata", "criterion": "criteria", "phenomenon": "phenomena",
      "matrix": "matrices", "vertex": "vertices", "index": "indices", "appendix": "appendices", "codex": "codices",
      "alumnus": "alumni", "corpus": "corpora", "fungus": "fungi", "genus": "genera", "locus": "loci",
      "nucleus": "nuclei", "radius": "radii", "stimulus": "stimuli",
    ] {
      english.addIrregular(singular, plural: plural, inCompounds: singular.count > 5)
    }
  }
}
