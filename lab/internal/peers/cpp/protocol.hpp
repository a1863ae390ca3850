// The protocol: a line in, lines out. README.md in the folder above has it in full.
#pragma once

#include "report.hpp"

#include <istream>
#include <map>
#include <ostream>

inline constexpr int protocol_version = 1;

// The maximum number of values of a series. More could exhaust the memory.
inline constexpr std::size_t max_n = 10'000'000;

// A collection in the protocol.
struct Peer {
	std::string name;
	std::vector<std::string> workloads;
	// Makes the series of a workload, or an empty one if it does not have this element size.
	Series (*start)(const std::string &workload, std::size_t n, std::size_t elem);
};

// Answers requests until the input ends, or until quit.
class Server {
public:
	explicit Server(std::vector<Peer> peers) : peers(std::move(peers)) {}

	void serve(std::istream &in, std::ostream &out) {
		for (std::string line; std::getline(in, line);) {
			const std::vector<std::string> words = split(line);
			if (words == std::vector<std::string>{"quit"}) {
				return;
			}
			std::string lines;
			const std::string error = answer(words, lines);
			if (error.empty()) {
				out << lines << "end\n" << std::flush;
			} else {
				out << "error " << error << '\n' << std::flush;
			}
		}
	}

private:
	static std::vector<std::string> split(const std::string &line) {
		std::istringstream in(line);
		std::vector<std::string> words;
		for (std::string w; in >> w;) {
			words.push_back(w);
		}
		return words;
	}

	// Executes a request. It returns an error text, or nothing.
	std::string answer(const std::vector<std::string> &words, std::string &lines) {
		if (words == std::vector<std::string>{"hello"}) {
			lines = hello();
			return "";
		}
		if (words.size() == 5 && words[0] == "start") {
			return start(words[1], words[2], words[3], words[4]);
		}
		if (words.size() == 2 && words[0] == "rep") {
			const auto it = running.find(words[1]);
			if (it == running.end()) {
				return "rep: " + words[1] + " was not started";
			}
			Report report;
			it->second(report);
			lines = report.lines();
			return "";
		}
		return "not understood: " + (words.empty() ? "an empty line" : words[0].substr(0, 200));
	}

	// The greeting: the version, and each collection with its workloads.
	std::string hello() const {
		std::string lines = "peer " + std::to_string(protocol_version) + "\n";
		for (const Peer &p : peers) {
			lines += "impl " + p.name;
			for (const std::string &w : p.workloads) {
				lines += " " + w;
			}
			lines += "\n";
		}
		return lines;
	}

	std::string start(const std::string &name, const std::string &workload,
			const std::string &n_text, const std::string &elem_text) {
		std::size_t n = 0, elem = 0;
		if (!number(n_text, n) || n == 0 || n > max_n) {
			return "start: n " + n_text + " is not in 1.." + std::to_string(max_n);
		}
		if (!number(elem_text, elem)) {
			return "start: element size " + elem_text;
		}
		for (const Peer &p : peers) {
			if (p.name != name) {
				continue;
			}
			Series series = p.start(workload, n, elem);
			if (!series) {
				return "start: " + name + " has no " + workload + " of " + elem_text + " bytes";
			}
			running[name] = std::move(series);
			return "";
		}
		return "start: no collection " + name;
	}

	// Parses a number of at most nine digits.
	static bool number(const std::string &text, std::size_t &n) {
		if (text.empty() || text.size() > 9 ||
				text.find_first_not_of("0123456789") != std::string::npos) {
			return false;
		}
		n = std::stoul(text);
		return true;
	}

	std::vector<Peer> peers;
	std::map<std::string, Series> running;
};
