package ask
import ("testing";"fmt";"os";"github.com/belay-dev/belay/internal/ask/grammar";"github.com/belay-dev/belay/internal/ask/weigh")
func TestWhy(t *testing.T){
 in:=Input{Text:os.Getenv("MSG"),PlanExists:true}
 p:=weighed(in,weigh.Acts(),weigh.Wholes())
 q:=read(in,nil); m:=q.cues(); fmt.Println(m.Type, weigh.Wholes().Weigh(m.Whole()), p.Kind())
 m.Type="mutation"
 for i,a:=range p.Acts { sum:=weigh.Acts().Weigh(m.Act(i)); k,_:=weigh.Best(sum); m.Decided=append(m.Decided,answers[k]); fmt.Println(sum,a.C.Text(p.Text,grammar.Span{To:len(a.C.T)})); 
 fmt.Println("   0:",weigh.Acts().Why(m.Act(i),0,3,12)); fmt.Println("   FIX:",weigh.Acts().Why(m.Act(i),3,0,12)) }
}
