// SPDX-License-Identifier: LGPL-2.1-or-later
// Waits and tests: which requests were over, and what came.
#include <vector>

#include "validation/executors/mpi/record/handles.hpp"

namespace {

using ringscope::record::Call;
using ringscope::record::rank_text;
using ringscope::record::recorder;
using ringscope::record::requests;

/// The requests that a call names, before it takes their handles away, and a place for what it
/// says of them where the program does not want to know.
class Named {
 public:
  Named(int count, const MPI_Request many[], MPI_Status statuses[])
      : requests_(many, many + count), told_(statuses) {
    if (statuses != MPI_STATUSES_IGNORE && statuses != MPI_STATUS_IGNORE) return;
    own_.resize(requests_.size());
    told_ = own_.data();
  }
  MPI_Status* statuses() { return told_; }

  /// "done=5,7:3:9:1024": the request `index`, and its source, tag and bytes where it receives.
  void over(int index, const MPI_Status& status) {
    const std::lock_guard lock(recorder().mutex);
    const auto begun = requests().finish(requests_.begin()[index]);
    if (!begun) return;
    done_ += (done_.empty() ? "" : ",") + std::to_string(begun->number);
    if (begun->receives) done_ += came(status);
  }
  void all_over() {
    for (std::size_t i = 0; i < requests_.size(); ++i) over(static_cast<int>(i), told_[i]);
  }
  void one_over(int index) {
    if (index != MPI_UNDEFINED) over(index, *told_);
  }
  void some_over(int count, const int indices[]) {
    for (int i = 0; i < count && count != MPI_UNDEFINED; ++i) over(indices[i], told_[i]);
  }
  void tell(Call& call) const {
    if (!done_.empty()) call.word("done", done_);
  }

 private:
  static std::string came(const MPI_Status& status) {
    int cancelled = 0;
    PMPI_Test_cancelled(&status, &cancelled);
    if (cancelled != 0) return ":cancelled";
    MPI_Count bytes = 0;
    PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
    return ":" + rank_text(status.MPI_SOURCE) + ":" + std::to_string(status.MPI_TAG) + ":" +
           std::to_string(bytes);
  }

  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> own_;
  MPI_Status* told_;
  std::string done_;
};

/// Makes a call, and says which requests were over: those that `note` gives to `named`. `any`: of a
/// test, 0 where it was in vain; else null.
template <typename Run, typename Note>
int told(std::string_view name, Named& named, Run run, Note note, const int* any) {
  Call call(name);
  const int result = call.over(run());
  if (any != nullptr && *any == 0) {
    call.in_vain();
  } else if (call.counts()) {
    note();
    named.tell(call);
  }
  return result;
}

}  // namespace

// `asked`: the requests. `flag`: of a test, what says whether it was in vain.
#define COMPLETES(function, name, names, asked, passed, note, flag)                        \
  extern "C" int MPI_##function NAMED(function, names) {                                   \
    Named named asked;                                                                     \
    return told(                                                                           \
        name, named, [&] { return LIBRARY(function) passed; }, [&] { named.note; }, flag); \
  }                                                                                        \
  ALSO_AS_PMPI(function)

COMPLETES(Wait, "wait", (request, status), (1, request, status), (request, named.statuses()),
          all_over(), nullptr)
COMPLETES(Waitall, "waitall", (count, many, statuses), (count, many, statuses),
          (count, many, named.statuses()), all_over(), nullptr)
COMPLETES(Waitany, "waitany", (count, many, index, status), (count, many, status),
          (count, many, index, named.statuses()), one_over(*index), nullptr)
COMPLETES(Waitsome, "waitsome", (count, many, over, indices, statuses), (count, many, statuses),
          (count, many, over, indices, named.statuses()), some_over(*over, indices), nullptr)
COMPLETES(Test, "test", (request, flag, status), (1, request, status),
          (request, flag, named.statuses()), all_over(), flag)
COMPLETES(Testall, "testall", (count, many, flag, statuses), (count, many, statuses),
          (count, many, flag, named.statuses()), all_over(), flag)
COMPLETES(Testany, "testany", (count, many, index, flag, status), (count, many, status),
          (count, many, index, flag, named.statuses()), one_over(*index), flag)
COMPLETES(Testsome, "testsome", (count, many, over, indices, statuses), (count, many, statuses),
          (count, many, over, indices, named.statuses()), some_over(*over, indices), over)
