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
/// test, 0 where it was in vain.
template <typename Run, typename Note>
int told(std::string_view name, Named& named, Run run, Note note, const int* any = nullptr) {
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

extern "C" int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  Named named(1, request, status);
  return told(
      "wait", named, [&] { return LIBRARY(Wait)(request, named.statuses()); },
      [&] { named.all_over(); });
}
ALSO_AS_PMPI(Wait)

extern "C" int MPI_Waitall(int count, MPI_Request many[], MPI_Status statuses[]) {
  Named named(count, many, statuses);
  return told(
      "waitall", named, [&] { return LIBRARY(Waitall)(count, many, named.statuses()); },
      [&] { named.all_over(); });
}
ALSO_AS_PMPI(Waitall)

extern "C" int MPI_Waitany(int count, MPI_Request many[], int* index, MPI_Status* status) {
  Named named(count, many, status);
  return told(
      "waitany", named, [&] { return LIBRARY(Waitany)(count, many, index, named.statuses()); },
      [&] { named.one_over(*index); });
}
ALSO_AS_PMPI(Waitany)

extern "C" int MPI_Waitsome(int count, MPI_Request many[], int* over, int indices[],
                            MPI_Status statuses[]) {
  Named named(count, many, statuses);
  return told(
      "waitsome", named,
      [&] { return LIBRARY(Waitsome)(count, many, over, indices, named.statuses()); },
      [&] { named.some_over(*over, indices); });
}
ALSO_AS_PMPI(Waitsome)

extern "C" int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  Named named(1, request, status);
  return told(
      "test", named, [&] { return LIBRARY(Test)(request, flag, named.statuses()); },
      [&] { named.all_over(); }, flag);
}
ALSO_AS_PMPI(Test)

extern "C" int MPI_Testall(int count, MPI_Request many[], int* flag, MPI_Status statuses[]) {
  Named named(count, many, statuses);
  return told(
      "testall", named, [&] { return LIBRARY(Testall)(count, many, flag, named.statuses()); },
      [&] { named.all_over(); }, flag);
}
ALSO_AS_PMPI(Testall)

extern "C" int MPI_Testany(int count, MPI_Request many[], int* index, int* flag,
                           MPI_Status* status) {
  Named named(count, many, status);
  return told(
      "testany", named,
      [&] { return LIBRARY(Testany)(count, many, index, flag, named.statuses()); },
      [&] { named.one_over(*index); }, flag);
}
ALSO_AS_PMPI(Testany)

extern "C" int MPI_Testsome(int count, MPI_Request many[], int* over, int indices[],
                            MPI_Status statuses[]) {
  Named named(count, many, statuses);
  return told(
      "testsome", named,
      [&] { return LIBRARY(Testsome)(count, many, over, indices, named.statuses()); },
      [&] { named.some_over(*over, indices); }, over);
}
ALSO_AS_PMPI(Testsome)
