/*
 * Copyright (c) 2026 ns3-hbd authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HBD_TRAFFIC_PROBLEM_H
#define HBD_TRAFFIC_PROBLEM_H

#include <string>
#include <vector>

namespace hbd::traffic
{

/// One thing that is wrong with the input. All of them are collected, none is thrown.
struct Problem
{
    std::string file;     ///< where it stands; "--set" for the command line
    int line = 0;         ///< from 1; 0 = unknown (a default, the command line, the whole file)
    std::string path;     ///< key path: cluster.hbd.size; empty = the whole file
    std::string expected; ///< what would be right
    std::string given;    ///< what is there
    std::string hint;     ///< why, or the nearest known key; may be empty
};

/// `file:line: path: expected ..., given ... (hint)`.
std::string ToText(const Problem& problem);

/// Adds a problem unless the same one (hint aside) is there: one mistake makes many points of a sweep wrong.
void AddProblem(std::vector<Problem>& problems, Problem problem);

/// The word with the smallest edit distance to `given`, empty when all are further than a third of its length (at least
/// 2, for up to three letters 1).
std::string Nearest(const std::string& given, const std::vector<std::string>& known);

} // namespace hbd::traffic

#endif // HBD_TRAFFIC_PROBLEM_H
