// The answer for a repetition.
#pragma once

#include <cstdint>
#include <functional>
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

// The number of steps of the ephemeral workloads.
inline constexpr int steps = 255;

// Collects the figures of one repetition as lines.
class Report {
public:
	void ns(const std::string &metric, double value, std::uint64_t sum) {
		add(metric, "ns", value, sum);
	}

	void bytes(const std::string &metric, double value, std::uint64_t sum) {
		add(metric, "bytes", value, sum);
	}

	void step_times(const std::vector<double> &ns, std::uint64_t sum) {
		out << "steps " << sum;
		for (double t : ns) {
			out << ' ' << t;
		}
		out << '\n';
	}

	std::string lines() const { return out.str(); }

private:
	void add(const std::string &metric, const char *unit, double value, std::uint64_t sum) {
		out << "metric " << metric << ' ' << unit << ' ' << value << ' ' << sum << '\n';
	}

	std::ostringstream out = [] {
		std::ostringstream o;
		o << std::setprecision(17); // as exact as a double is
		return o;
	}();
};

// A series of repetitions: each call does one.
using Series = std::function<void(Report &)>;
