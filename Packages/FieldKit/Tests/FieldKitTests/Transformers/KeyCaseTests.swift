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
  func `finds the words of a key`(key: String, snake: String) {
    #expect(KeyCase.snake.key(key) == snake)
    #expect(KeyCase.kebab.key(key) == snake.replacing("_", with: "-"))
    #expect(KeyCase.lower.key(key) == snake.replacing("_", with: " "))
  }

  @Test(arguments: [
    (KeyCase.lower, "light name"), (.upper, "LIGHT NAME"), (.capitalized, "Light Name"), (.upperCamel, "LightName"),
    (.lowerCamel, "lightName"), (.snake, "light_name"), (.kebab, "light-name"),
  ])
  func `spells words in seven ways, and its own spelling alike`(keyCase: KeyCase, spelled: String) {
    #expect(keyCase.key("lightName") == spelled)
    #expect(keyCase.key("light_name") == spelled)
    #expect(KeyCase.allCases.count == 7)
    if keyCase != .upper { #expect(keyCase.key(spelled) == spelled) }
  }

  @Test func `of a key with many words grows each word once`() {
    #expect(KeyCase.upperCamel.key("created_at_time") == "CreatedAtTime")
    #expect(KeyCase.lowerCamel.key("created_at_time") == "createdAtTime")
    #expect(KeyCase.lowerCamel.key("HTTPRequest") == "httpRequest")
  }
}
