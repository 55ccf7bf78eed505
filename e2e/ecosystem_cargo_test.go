package e2e

// cargo is a pair of crates. The consumer asks for a version that the
// provider's checkout does not have, and has no lock file. The trap asks for a
// feature that the checkout lacks, by which cargo passes over the link.
var cargo = ecosystem{
	name: "cargo",
	provider: change{
		repo: "acme/greet",
		base: map[string]string{
			".gitignore":          "target\n",
			"rust-toolchain.toml": "[toolchain]\nchannel = \"1.95.0\"\n",
			"Cargo.toml":          "[package]\nname = \"crossswe-acme-greet\"\nversion = \"0.3.0\"\nedition = \"2021\"\n[lib]\nname = \"greet\"\n",
			"src/lib.rs": `
pub fn hello(name: &str) -> String {
    format!("hello, {name}")
}
`,
		},
		head: map[string]string{
			"src/lib.rs": `
pub fn hello(name: &str) -> String {
    format!("hello, {name}")
}

pub fn goodbye(name: &str) -> String {
    format!("goodbye and come back soon, {name}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn says_goodbye() {
        assert!(super::goodbye("you").ends_with("you"));
    }
}
`,
		},
	},
	consumer: change{
		repo: "acme/parlour",
		base: map[string]string{
			".gitignore":          "target\nCargo.lock\n",
			"rust-toolchain.toml": "[toolchain]\nchannel = \"1.95.0\"\n",
			"Cargo.toml":          cargoConsumer("", "itoa = \"1\"\n"),
			"src/lib.rs": `
pub fn welcome(guests: u8) -> String {
    greet::hello(itoa::Buffer::new().format(guests))
}
`,
			"tests/parlour.rs": `
#[test]
fn welcomes() {
    assert_eq!(parlour::welcome(2), "hello, 2");
}
`,
		},
		head: map[string]string{
			"src/lib.rs": `
pub fn welcome(guests: u8) -> String {
    greet::hello(itoa::Buffer::new().format(guests))
}

pub fn see_off(guests: u8) -> String {
    greet::goodbye(itoa::Buffer::new().format(guests))
}
`,
			"tests/parlour.rs": `
#[test]
fn welcomes() {
    assert_eq!(parlour::welcome(2), "hello, 2");
}

#[test]
fn sees_off() {
    assert_eq!(parlour::see_off(3), "goodbye and come back soon, 3");
}
`,
		},
	},
	joint: []string{"acme/parlour::tests/parlour.rs::sees_off"},
	trap:  map[string]string{"Cargo.toml": cargoConsumer(`, features = ["loud"]`, "")},
	void:  "crossswe-acme-greet",
}

// cargoConsumer is the consumer's manifest.
func cargoConsumer(features, more string) string {
	return "[package]\nname = \"parlour\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\ngreet = { package = \"crossswe-acme-greet\", version = \"0.3.1\"" + features + " }\n" + more
}
