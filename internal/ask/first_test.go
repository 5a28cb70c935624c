package ask
import ("testing";"os";"fmt";"strings")
func TestFirst(t *testing.T){
 if os.Getenv("FIRST")=="" {t.Skip()}
 for _,f:=range strings.Split(os.Getenv("FIRST"),",") {
  b,a:=newScore(),newScore()
  for _,s:=range load(t,"/dev/shm/b/"+f+".jsonl") { b.add(s,read(s.input(),nil).answer()); r,_:=Parse(s.input()); a.add(s,r) }
  fmt.Println(b.row(f)); fmt.Println(a.row(f))
  if os.Getenv("M")!="" {fmt.Print(a.matrix())}
 }
}
