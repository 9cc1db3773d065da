import FieldKit
import Testing

@Suite struct `The case of keys` {
  @Test(arguments: [
    ("widgetIDs", "widget_ids"), ("imageURL", "image_url"), ("HTTPRequest", "http_request"),
    ("lightName", "light_name"), ("isOn", "is_on"), ("ID", "id"), ("IDs", "ids"), ("userIDsByName", "user_ids_by_name"),
    ("URLSession", "url_session"), ("aURL", "a_url"), ("address2Line", "address2_line"), ("sha256", "sha256"),
    ("light_name", "light_name"), ("light-name", "light_name"), ("light name", "light_name"),
    ("LightName", "light_name"), ("name", "name"), ("", ""), ("größeÄndern", "größe_ändern"),
  ])
  func `The case of keys finds the words of a key`(key: String, snake: String) {
    #expect(KeyCase.snake.key(key) == snake)
    #expect(KeyCase.kebab.key(key) == snake.replacing("_", with: "-"))
    #expect(KeyCase.lower.key(key) == snake.replacing("_", with: " "))
  }

  @Test(arguments: [
    (KeyCase.lower, "light name"), (.upper, "LIGHT NAME"), (.capitalized, "Light Name"), (.upperCamel, "LightName"),
    (.lowerCamel, "lightName"), (.snake, "light_name"), (.kebab, "light-name"),
  ])
  func `The case of keys spells words in seven ways, and its own spelling alike`(keyCase: KeyCase, spelled: String) {
    #expect(keyCase.key("lightName") == spelled)
    #expect(keyCase.key("light_name") == spelled)
    #expect(KeyCase.allCases.count == 7)
    #expect(keyCase.key(spelled) == spelled)
  }

  @Test func `Converting the case of a key with many words copies each word once`() {
    #expect(KeyCase.upperCamel.key("created_at_time") == "CreatedAtTime")
    #expect(KeyCase.lowerCamel.key("created_at_time") == "createdAtTime")
    #expect(KeyCase.lowerCamel.key("HTTPRequest") == "httpRequest")
  }
}

@Suite struct `A cached spelling of a key` {
  /// Words as keys have them: mostly small letters, with acronyms, digits, single letters and other alphabets.
  private func sentence(_ generator: inout SeededGenerator) -> String {
    let letters = Array(
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789äöüßÄÖÜéñçøåæœŉǆαβγΑΒΓдияДИЯ名前ªº")
    let words = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
      let length = Int.random(in: 1...6, using: &generator)
      let word = String((0..<length).map { _ in letters.randomElement(using: &generator) ?? "x" })
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: return word.uppercased()
      case 1: return word.lowercased()
      case 2: return word.lowercased().capitalized()
      default: return word
      }
    }
    return words.joined(separator: ["_", "-", " ", "", "__"].randomElement(using: &generator) ?? "")
  }

  @Test(arguments: KeyCase.allCases)
  func `A key that was spelled once stays as it is when it is spelled again`(keyCase: KeyCase) {
    var generator = SeededGenerator(seed: 101)
    for _ in 0..<5_000 {
      let sentence = sentence(&generator)
      let spelled = keyCase.key(sentence)
      #expect(keyCase.key(spelled) == spelled, "\(sentence)")
    }
  }

  @Test(arguments: [
    ("SHA256SUM", "sha256sum"), ("sha256Sum", "sha256_sum"), ("LIGHT_NAME", "light_name"), ("ÄNDERUNG", "änderung"),
    ("größe", "größe"), ("nameΑβ", "name_αβ"), ("имяФайла", "имя_файла"), ("名前", "名前"), ("__a__b__", "a_b"), ("-", ""),
    ("MP3Player", "mp3_player"), ("iPhone", "i_phone"), ("x1", "x1"), ("HTTPSURLs", "httpsurls"),
  ])
  func `A key that was spelled once has the words it had before`(key: String, snake: String) {
    #expect(KeyCase.snake.key(key) == snake)
    #expect(KeyCase.snake.key(KeyCase.kebab.key(key)) == snake)
    #expect(KeyCase.snake.key(KeyCase.lower.key(key)) == snake)
    #expect(KeyCase.snake.key(KeyCase.upper.key(key)).uppercased() == snake.uppercased())
  }

  @Test func `A cached spelling of a key in camel case is one word if only capitals separate its letters`() {
    #expect(KeyCase.upperCamel.key("a_b_c") == "Abc")
    #expect(KeyCase.lowerCamel.key("point_x_y") == "pointXy")
    #expect(KeyCase.lowerCamel.key("ownerID") == "ownerId")
    #expect(KeyCase.capitalized.key("ßx") == "Ssx")
  }

  @Test func `A key that was spelled once with dots is spelled part by part`() {
    #expect(ValueTransformerContext(keyCase: .snake).key("homePage.imageURL") == "home_page.image_url")
    #expect(ValueTransformerContext().key("homePage.imageURL") == "homePage.imageURL")
  }
}

extension String {
  fileprivate func capitalized() -> String { prefix(1).uppercased() + dropFirst() }
}
