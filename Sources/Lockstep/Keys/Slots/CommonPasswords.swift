/// The most common passwords and their usual words, in lower case. They serve to warn users who choose one, not to
/// reject it. Sequences and keyboard rows are found without a list.
enum CommonPasswords {
    static let all: [StaticString] = [
        "password", "passwort", "motdepasse", "contrasena", "passw", "pass", "letmein", "welcome",
        "willkommen", "hallo", "hello", "admin", "administrator", "root", "login", "master",
        "secret",
        "geheim", "changeme", "default", "guest", "test", "testing", "user", "access", "trustno",
        "iloveyou", "ichliebedich", "love", "lovely", "princess", "sunshine", "flower", "angel",
        "baby", "babygirl", "monkey", "dragon", "shadow", "tiger", "lion", "eagle", "falcon",
        "panther",
        "wolf", "puppy", "kitty", "cookie", "chocolate", "cheese", "banana", "orange", "apple",
        "pepper",
        "ginger", "summer", "winter", "spring", "autumn", "sommer", "january", "february", "august",
        "october", "november", "december", "monday", "friday", "sunday", "football", "baseball",
        "basketball", "soccer", "hockey", "golf", "fussball", "arsenal", "chelsea", "liverpool",
        "barcelona", "schalke", "dortmund", "bayern", "superman", "batman", "spiderman", "pokemon",
        "naruto", "starwars", "startrek", "matrix", "hunter", "ranger", "killer", "soldier",
        "ninja",
        "samurai", "warrior", "michael", "michelle", "daniel", "jessica", "jennifer", "ashley",
        "andrew", "thomas", "robert", "charlie", "george", "jordan", "joshua", "matthew", "anthony",
        "nicole", "hannah", "maggie", "buster", "harley", "mercedes", "ferrari", "porsche",
        "corvette",
        "mustang", "yamaha", "computer", "internet", "server", "database", "google", "facebook",
        "samsung", "windows", "linux", "oracle", "cisco", "qwerty", "qwertz", "azerty", "abc",
        "money",
        "freedom", "whatever", "nothing", "forever", "family", "purple", "yellow", "silver",
        "diamond",
        "lucky", "jesus", "heaven", "blessed", "schatz", "engel", "sonne", "blume",
    ]
}
